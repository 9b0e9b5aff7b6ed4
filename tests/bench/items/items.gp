# SPDX-License-Identifier: MIT
# items.gp - items for each second of processor time over an item's length, and over its system calls, as SVG. Variables: data (the
# table), output_file, machine (a line about it).
set terminal svg noenhanced size 1000,480 font "sans,12" background rgb "white"
set output output_file
set grid
set logscale y
grounds = system("awk '!seen[$1]++ { printf \"%s \", $1 }' ".data)
colours = "#1b6ca8 #c8553d #588157 #8a5a83 #999999"
set multiplot layout 1,2 title "Many short work items\n".machine
set key bottom left
set logscale x
set xlabel "nanoseconds of calculation in an item, no system calls"
set ylabel "items for each second of processor time"
plot for [i=1:words(grounds)] "< grep '^".word(grounds, i)." ' ".data." | head -6" using 2:4:5:6 \
     with yerrorlines lc rgb word(colours, i) lw 2 pt 7 ps 0.5 title word(grounds, i)
unset logscale x
set key top right
set xlabel "system calls in an item of 1000 ns"
plot for [i=1:words(grounds)] "< grep '^".word(grounds, i)." ' ".data." | tail -6" using 3:4:5:6 \
     with yerrorlines lc rgb word(colours, i) lw 2 pt 7 ps 0.5 title word(grounds, i)
unset multiplot
