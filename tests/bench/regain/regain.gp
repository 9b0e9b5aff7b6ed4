# SPDX-License-Identifier: MIT
# regain.gp - how soon a scheduler has its processor back, as shares of the cases over time, and the cost of the watch
# for faults, as SVG. Variables: data (the table of costs; the samples are files beside it), output_file, machine (a line
# about it).
set terminal svg noenhanced size 1000,480 font "sans,12" background rgb "white"
set output output_file
folder = system("dirname ".data)
names = "memory file unwatched preemption"
titles = "'fault of 5 ms, userfaultfd' 'fault of 5 ms, view of a file' 'the same without the watch' 'SuspendThread of one that computes'"
colours = "#1b6ca8 #588157 #999999 #c8553d"
size_of(name) = system("wc -l <".folder."/".name) + 0
set grid
set multiplot layout 1,2 title "A processor that comes back without a call\n".machine
set logscale x
set xrange [10:*]
set yrange [0:1]
set key below
set xlabel "microseconds until the scheduler runs another worker"
set ylabel "share of the cases"
plot for [i=1:4] (size_of(word(names, i)) > 0 ? folder."/".word(names, i) : "/dev/null") \
     using 1:(($0 + 1) / size_of(word(names, i))) with steps lc rgb word(colours, i) lw 2 title word(titles, i)
unset logscale x
set autoscale x
set yrange [0:1]
set key default top right
set style data histograms
set style fill solid 0.8
set boxwidth 0.9
set xlabel "a scheduler whose worker ..."
set ylabel "% of a processor that other threads take"
plot data using 2:xtic(1) lc rgb "#1b6ca8" title "with the watch", data using 3 lc rgb "#999999" title "without"
unset multiplot
