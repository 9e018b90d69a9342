# Prometheus' older format of what is in OpenMetrics: counters and infos are called as their samples are, an info is a
# gauge, and there are no units, and no end.
/^# (UNIT|EOF)/ { next }
/^# TYPE/ {
	suffix = $4 == "counter" ? "_total" : $4 == "info" ? "_info" : ""
	sub(/ info$/, " gauge")
}
/^# (TYPE|HELP)/ { sub($3, $3 suffix) }
{ print }
