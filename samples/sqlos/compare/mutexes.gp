# SPDX-License-Identifier: MIT
# mutexes.gp - acquisitions for each second over the number of tasks, and the longest wait, as SVG. Variables: data (the
# table), output_file, machine (a line about it).
set terminal svg noenhanced size 1000,480 font "sans,12" background rgb "white"
set output output_file
set grid
set logscale x 2
set xlabel "tasks that contend"
set multiplot layout 1,2 title "One mutex, held a microsecond in three\n".machine
set key top right
set yrange [0:*]
set ylabel "acquisitions for each second"
plot data using 1:6:7:8 with yerrorlines lc rgb "#1b6ca8" lw 2 pt 7 ps 0.5 title "unfair: whoever runs first", \
     data using 1:2:3:4 with yerrorlines lc rgb "#c8553d" lw 2 pt 7 ps 0.5 title "fair: handed over"
set autoscale y
set logscale y
set key bottom right
set ylabel "longest wait, milliseconds"
plot data using 1:9 with linespoints lc rgb "#1b6ca8" lw 2 pt 7 ps 0.5 title "unfair", \
     data using 1:5 with linespoints lc rgb "#c8553d" lw 2 pt 7 ps 0.5 title "fair"
unset multiplot
