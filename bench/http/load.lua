-- SPDX-License-Identifier: BSD-3-Clause
-- The load cases, for: wrk -s load.lua URL -- CASE
-- CASE is keepalive, pipelined, browser or ten. Ends with one line of JSON about the run.

local BROWSER_HEADS = {
   "Connection: keep-alive",
   'sec-ch-ua: "Chromium";v="124", "Not-A.Brand";v="99"',
   "sec-ch-ua-mobile: ?0",
   'sec-ch-ua-platform: "Linux"',
   "Upgrade-Insecure-Requests: 1",
   "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
      .. "Chrome/124.0.0.0 Safari/537.36",
   "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,"
      .. "image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
   "Sec-Fetch-Site: none",
   "Accept-Encoding: gzip, deflate, br, zstd",
   "Accept-Language: en-US,en;q=0.9",
   "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; visited=1714000000",
}

local function head(fields)
   local lines = { "GET " .. wrk.path .. " HTTP/1.1", "Host: " .. wrk.host .. ":" .. wrk.port }
   for _, field in ipairs(fields) do
      lines[#lines + 1] = field
   end
   return table.concat(lines, "\r\n") .. "\r\n\r\n"
end

-- One text for all requests: wrk then sends it without asking Lua each time.
local function always(text)
   wrk.format = function() return text end
end

-- wrk counts the requests of a text only when it gets it from this function.
local function each_time(text)
   request = function() return text end
end

-- wrk asks for requests without saying for which connection. Each tenth of all is the last of its
-- connection, so that a connection carries ten on average.
local function ask_each_time()
   local plain, last, count = head({}), head({ "Connection: close" }), 0
   request = function()
      count = count + 1
      return count % 10 == 0 and last or plain
   end
end

local cases = {
   keepalive = function() always(head({})) end,
   pipelined = function() each_time(head({}):rep(16)) end,
   browser = function() always(head(BROWSER_HEADS)) end,
   ten = ask_each_time,
}

function init(args)
   cases[args[1]]()
end

function done(summary, latency)
   local e = summary.errors
   io.write(string.format(
      '\n{"requests":%d,"us":%d,"p99_us":%d,"bytes":%d,"connect":%d,"read":%d,"write":%d,'
         .. '"status":%d,"timeout":%d}\n',
      summary.requests, summary.duration, latency:percentile(99), summary.bytes, e.connect,
      e.read, e.write, e.status, e.timeout))
end
