# Draws filter_parallel.svg from filter_parallel.csv. Run in this folder: gnuplot filter_parallel.gnuplot
# Speed-up over one host, by hosts: one small picture for each batch, a line for each count of kernels.
set terminal svg size 860,400 fixed font "DejaVu Sans,Helvetica,Arial,sans-serif,14" background "#ffffff"
set output "filter_parallel.svg"
set datafile separator ","
batches = system("tail -n +2 filter_parallel.csv | cut -d, -f2 | sort -nu")
kernels = system("tail -n +2 filter_parallel.csv | cut -d, -f1 | sort -t: -nu")
rows(batch, kernel) = sprintf("< awk -F, '$2 == %s && $1 == \"%s\" && $4 == \"optimal\" && $13 == \"equal\"' filter_parallel.csv", batch, kernel)
array colour[6] = ["#1b6ca8", "#e0a030", "#2a8a5a", "#b04060", "#6a5acd", "#555555"]

set multiplot layout 1, words(batches) title "Speed-up over one host, by hosts" font ",15"
set xrange [0.8:4.6]
set yrange [0:4.3]
set xtics 1 nomirror scale 0 textcolor "#333333"
set ytics 1 nomirror scale 0 textcolor "#333333"
set border 1 linecolor "#888888"
set grid ytics linetype 1 linecolor "#dddddd"
set key bottom right reverse Left samplen 1.5 font ",12" spacing 0.85
set xlabel "hosts" textcolor "#333333"
do for [b = 1:words(batches)] {
    set title sprintf("batch %s", word(batches, b)) textcolor "#222222"
    plot x with lines linecolor "#bbbbbb" dashtype 2 title "ideal", \
         for [k = 1:words(kernels)] rows(word(batches, b), word(kernels, k)) using 3:10 with linespoints \
             linewidth 2 pointtype 7 pointsize 0.5 linecolor rgb colour[k] title word(kernels, k)
}
unset multiplot
