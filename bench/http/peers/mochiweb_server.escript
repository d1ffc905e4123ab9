#!/usr/bin/env escript
%% SPDX-License-Identifier: BSD-3-Clause
%% The example get_variable on Mochiweb: escript mochiweb_server.escript PORT
%% One scheduler that does not spin, so that waiting is not counted as work.
%%! +S 1:1 +K true +sbwt none +sbwtdcpu none +sbwtdio none
-mode(compile).

main([Port]) ->
    {ok, _} = application:ensure_all_started(mochiweb),
    {ok, _} = mochiweb_http:start([{ip, {127, 0, 0, 1}}, {port, list_to_integer(Port)},
                                   {backlog, 4096}, {max, 15000}, {acceptor_pool_size, 16},
                                   {nodelay, true}, {loop, fun show/1}]),
    receive stop -> ok end.

show(Request) ->
    Value = proplists:get_value("value", mochiweb_request:parse_qs(Request), ""),
    Body = ["<http_test><value>", Value, "</value></http_test>"],
    mochiweb_request:respond({200, [{"Content-Type", "text/xml"}], Body}, Request).
