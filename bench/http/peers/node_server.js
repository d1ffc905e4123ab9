// SPDX-License-Identifier: BSD-3-Clause
// The example get_variable on Node's own http module: node node_server.js PORT
'use strict';

const http = require('http');
const url = require('url');

const server = http.createServer((request, response) => {
    const value = url.parse(request.url, true).query.value;
    const body = `<http_test><value>${value}</value></http_test>`;

    response.writeHead(200, {
        'Content-Type': 'text/xml',
        'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
});

server.keepAliveTimeout = 300000;
server.listen(Number(process.argv[2]), '127.0.0.1', 4096);
