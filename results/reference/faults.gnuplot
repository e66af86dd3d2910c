# Draws faults.svg from faults.csv. Run in this folder: gnuplot faults.gnuplot
# A row for each way and each number of lost nodes: the time of a run without a loss, and beside it the time that the losses cost.
rows = int(system("tail -n +2 faults.csv | wc -l"))
set terminal svg size 900,(132 + 22 * rows) fixed font "DejaVu Sans,Helvetica,Arial,sans-serif,12" background "#ffffff"
set output "faults.svg"
set termoption noenhanced
set datafile separator ","
unset border
set style fill solid 1.0 noborder
set ytics scale 0 textcolor "#222222"
set xtics nomirror scale 0.4 textcolor "#555555"
set grid xtics linecolor rgb "#e0e0e0"
set xlabel "seconds from the start of the command to its end (median)" textcolor "#222222"
set lmargin at screen 0.36
set rmargin at screen 0.97
set tmargin at screen 1 - 70.0 / (132 + 22 * rows)
set bmargin at screen 62.0 / (132 + 22 * rows)
set key at screen 0.97, screen (1 - 8.0 / (132 + 22 * rows)) right top horizontal textcolor "#222222"
stats "faults.csv" every ::1 using 6 nooutput
set xrange [0:STATS_max * 1.12]
set yrange [rows + 0.5:0.5]
plot "faults.csv" every ::1 using (($4 - $7) / 2):($0 + 1):(($4 - $7) / 2):(0.32):ytic(stringcolumn(1) . "; lost: " . stringcolumn(2)) \
         with boxxyerror linecolor rgb "#1b6ca8" title "without a loss", \
     "" every ::1 using ($7 > 0 ? $4 - $7 / 2 : NaN):($0 + 1):(abs($7) / 2):(0.32) with boxxyerror linecolor rgb "#e0a030" title "by the losses", \
     "" every ::1 using 4:($0 + 1):5:6 with xerrorbars pointtype 0 linecolor rgb "#333333" title "least to greatest of the runs"
