# Draws strategies.svg from strategies.csv. Run in this folder: gnuplot strategies.gnuplot
# A row for each strategy, a column of bars for each quantity.
rows = int(system("tail -n +2 strategies.csv | wc -l"))
set terminal svg size 1000,(70 + 24 * rows) fixed font "DejaVu Sans,Helvetica,Arial,sans-serif,12" background "#ffffff"
set output "strategies.svg"
set termoption noenhanced
figure(value) = value >= 100 ? sprintf(" %.0f", value) : sprintf(" %.3g", value)
set datafile separator ","
unset border
unset key
set style fill solid 1.0 noborder
set boxwidth 0.6 absolute
set ytics scale 0 textcolor "#222222"
unset xtics
array column_of[5] = [2, 5, 6, 7, 8]
array title_of[5] = ["step, ms", "sent, MB a step", "exposed, ms a step", "peak memory, MB", "accuracy, %"]
array colour[5] = ["#1b6ca8", "#e0a030", "#b04060", "#6a5acd", "#2a8a5a"]
left = 0.33
width = (1 - left) / 5
set multiplot
do for [c = 1:5] {
    set autoscale y
    stats "strategies.csv" every ::1 using (column(column_of[c])) nooutput
    set lmargin at screen left + (c - 1) * width + 0.005
    set rmargin at screen left + c * width - 0.015
    set tmargin at screen 1 - 34.0 / (70 + 24 * rows)
    set bmargin at screen 10.0 / (70 + 24 * rows)
    set xrange [0:STATS_max * 1.45]
    set yrange [rows + 0.4:0.4]
    set title title_of[c] textcolor "#222222" offset 0,-0.5
    if (c > 1) {
        set format y ""
        plot "strategies.csv" every ::1 using (column(column_of[c]) / 2):($0 + 1):(column(column_of[c]) / 2):(0.3) with boxxyerror linecolor rgb colour[c], \
             "" every ::1 using (column(column_of[c])):($0 + 1):(figure(column(column_of[c]))) with labels left textcolor "#333333"
    } else {
        plot "strategies.csv" every ::1 using (column(column_of[c]) / 2):($0 + 1):(column(column_of[c]) / 2):(0.3):ytic(1) with boxxyerror linecolor rgb colour[c], \
             "" every ::1 using (column(column_of[c])):($0 + 1):(figure(column(column_of[c]))) with labels left textcolor "#333333"
    }
}
unset multiplot
