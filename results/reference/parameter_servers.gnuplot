# Draws parameter_servers.svg from parameter_servers.csv. Run in this folder: gnuplot parameter_servers.gnuplot
# Time of a step by nodes: one small picture for each model, a line for the ring and for each count of servers.
set terminal svg size 760,380 fixed font "DejaVu Sans,Helvetica,Arial,sans-serif,14" background "#ffffff"
set output "parameter_servers.svg"
set datafile separator ","
models = system("tail -n +2 parameter_servers.csv | cut -d, -f1 | uniq")
link(model) = system(sprintf("awk -F, '$1 == \"%s\" {print $2; exit}' parameter_servers.csv", model))
rows(model, servers) = sprintf("< awk -F, '$1 == \"%s\" && $4 == %d' parameter_servers.csv", model, servers)
# The ring comes last, dashed: as many servers as nodes take about the same time, and both lines are to be seen.
array servers[5] = [1, 2, 4, 8, 0]
array colour[5] = ["#b04060", "#e0a030", "#2a8a5a", "#b9b0f0", "#1b6ca8"]
array dashes[5] = [1, 1, 1, 1, 2]
name(servers) = servers == 0 ? "ring" : servers == 1 ? "1 server" : sprintf("%d servers", servers)

set multiplot layout 1, words(models)
set xrange [0.5:8.5]
set yrange [0:*]
set xtics (1, 2, 4, 8) nomirror scale 0 textcolor "#333333"
set ytics nomirror scale 0 textcolor "#333333"
set border 1 linecolor "#888888"
set grid ytics linetype 1 linecolor "#dddddd"
set key top left reverse Left samplen 1.5
set xlabel "nodes" textcolor "#333333"
do for [m = 1:words(models)] {
    set title sprintf("%s, %g Mbit/s: seconds a step", word(models, m), real(link(word(models, m)))) noenhanced textcolor "#222222"
    plot for [s = 1:5] rows(word(models, m), servers[s]) using 3:($5 / 1000) with linespoints \
        linewidth 2 dashtype dashes[s] pointtype 7 pointsize 0.5 linecolor rgb colour[s] title name(servers[s])
}
unset multiplot
