# Draws weak_scaling.svg from the table of weak_scaling.md. Run in this folder: gnuplot weak_scaling.gnuplot
# Bars are medians; the lines on them reach from the smallest to the largest of the rounds.
set terminal svg size 520,340 fixed font "DejaVu Sans,Helvetica,Arial,sans-serif,16" background "#ffffff"
set output "weak_scaling.svg"
set datafile separator "|"
rows(network) = sprintf("< grep -A 6 '^. %s: hosts x images' weak_scaling.md", network)

# A cell is "MEDIAN (SMALLEST to LARGEST)"; cells are counted from 2.
median(column) = real(word(strcol(column), 1))
smallest(column) = real(word(strcol(column), 2)[2:])
largest(column) = real(word(strcol(column), 4)[:strlen(word(strcol(column), 4)) - 1])
hosts = 2
convoy = 6
peer = 7
width = 0.36

set style fill solid border linecolor "#222222"
set bars 0.6
set xrange [0.45:5.55]
set xtics 1 nomirror scale 0 textcolor "#333333"
set ytics nomirror scale 0 textcolor "#333333"
set border 1 linecolor "#888888"
set grid ytics linetype 1 linecolor "#dddddd"
set key top left reverse Left samplen 1 spacing 1.3 width -2
set lmargin 6

set xlabel "hosts" offset 0,0.7 textcolor "#333333"
set title "resnet\\_v2 of depth 56: images/s" offset 0,-0.7
set yrange [0:360]
set ytics 100
plot rows("resnet_v2_56") every ::2 using (median(hosts) - 0.19):(median(convoy)):(smallest(convoy)):(largest(convoy)):(width) with boxerrorbars linecolor "#1b6ca8" title "convoy", \
     "" every ::2 using (median(hosts) + 0.19):(median(peer)):(smallest(peer)):(largest(peer)):(width) with boxerrorbars linecolor "#e0a030" title "PyTorch"
