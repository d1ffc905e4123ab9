-- SPDX-License-Identifier: BSD-3-Clause
-- Reports how latency spreads, for: wrk --latency -s overload.lua URL. Ends with one line of JSON.

function done(summary, latency)
   local e = summary.errors
   io.write(string.format(
      '\n{"requests":%d,"us":%d,"median_us":%d,"p99_us":%d,"max_us":%d,"mean_us":%.0f,'
         .. '"stdev_us":%.0f,"failed":%d,"timeout":%d}\n',
      summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
      latency.max, latency.mean, latency.stdev, e.connect + e.read + e.write + e.status,
      e.timeout))
end
