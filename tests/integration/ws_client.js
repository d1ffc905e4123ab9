// SPDX-License-Identifier: BSD-3-Clause
'use strict';

// Talks to an echo server by the npm package ws: node ws_client.js URL. Prints ok at the end.
const assert = require('assert');
const crypto = require('crypto');
const { once } = require('events');
const WebSocket = require('ws');

async function open(url) {
  const ws = new WebSocket(url, { perMessageDeflate: true });
  await once(ws, 'open');
  return ws;
}

async function echo(ws, data, binary) {
  const answer = once(ws, 'message');
  ws.send(data, { binary });
  const [message, isBinary] = await answer;
  assert.strictEqual(isBinary, binary);
  assert.deepStrictEqual(message, Buffer.from(data));
}

async function messages(url) {
  const ws = await open(url);
  await echo(ws, 'text', false);
  await echo(ws, 'gr\u00fc\u00dfe \u{1f600}', false);
  for (const size of [0, 1, 125, 126, 65535, 65536, 1048576])
    await echo(ws, crypto.randomBytes(size), true);
  const pong = once(ws, 'pong');
  ws.ping('are you there');
  assert.strictEqual((await pong)[0].toString(), 'are you there');
  ws.close(4000, 'enough');
  const [code, reason] = await once(ws, 'close');
  assert.strictEqual(code, 4000);
  assert.ok(['', 'enough'].includes(reason.toString()));
}

async function fragments(url) {
  const ws = await open(url);
  const answer = once(ws, 'message');
  ws.send('one ', { fin: false });
  ws.ping();
  ws.send('two', { fin: true });
  assert.strictEqual((await answer)[0].toString(), 'one two');
  ws.close();
  await once(ws, 'close');
}

async function tooBig(url) {
  const ws = await open(url);
  ws.on('error', () => {});
  ws.send(Buffer.alloc(1048577));
  assert.strictEqual((await once(ws, 'close'))[0], 1009);
}

async function main() {
  const url = process.argv[2];
  await messages(url);
  await fragments(url);
  await tooBig(url);
  await Promise.all(Array.from({ length: 50 }, () => messages(url)));
  console.log('ok');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
