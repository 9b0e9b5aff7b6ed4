# SPDX-License-Identifier: MIT
# figures.gp - one of the figures as PNG. Variables: figure (its name), folder (of the data and
# the picture), cores, machine (a line about it).
set terminal pngcairo noenhanced size 900,600 font "sans,11"
set grid
set key top left
set style line 1 lc rgb "#1b6ca8" lw 2 pt 7
set style line 2 lc rgb "#c8553d" lw 2 pt 5
set style line 3 lc rgb "#588157" lw 2 pt 9

if (figure eq "figure2") {
    set output folder."/figure2.png"
    set title "N-body: speed-up over one processor without threads\n".machine
    set xlabel "processors (the machine has ".cores.")"
    set ylabel "speed-up"
    set xrange [0.5:cores+0.5]
    set yrange [0:*]
    set xtics 1
    plot x with lines dt 2 lc rgb "#999999" title "ideal", \
         folder."/figure2.dat" using 1:2:3:4 with yerrorlines ls 1 title "UMS", \
         "" using 1:5:6:7 with yerrorlines ls 2 title "user level (original FastThreads)", \
         "" using 1:8:9:10 with yerrorlines ls 3 title "kernel threads"
} else {
    set output folder."/".figure.".png"
    how = figure eq "figure3" ? "" : ", by page faults"
    set title "N-body: time against memory available".how."\n".machine
    set xlabel "percent of the pages that fit (".cores." cores)"
    set ylabel "milliseconds"
    set xrange [102:38]
    set logscale y
    set xtics 10
    plot folder."/".figure.".dat" using 1:($2*1000):($3*1000):($4*1000) \
             with yerrorlines ls 1 title "UMS", \
         "" using 1:($5*1000):($6*1000):($7*1000) \
             with yerrorlines ls 2 title "user level (original FastThreads)", \
         "" using 1:($8*1000):($9*1000):($10*1000) with yerrorlines ls 3 title "kernel threads"
}
