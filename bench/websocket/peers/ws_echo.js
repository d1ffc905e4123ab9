// SPDX-License-Identifier: BSD-3-Clause
// WebSocket echo on the npm package ws: node ws_echo.js PORT
'use strict';

const { WebSocketServer } = require('ws');

const port = Number(process.argv[2]);
const server = new WebSocketServer({ host: '127.0.0.1', port, backlog: 4096 });

server.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
