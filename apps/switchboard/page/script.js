// SPDX-License-Identifier: BSD-3-Clause
'use strict';

const LOG_LINES_MAX = 200;
const RECONNECT_MS = 1000;

const byId = (id) => document.getElementById(id);
const devices = new Map(); // serial -> { since, groups: Set }
let socket = null; // the device that this tab is
let ownSerial = null;
let answers = []; // who waits for the answers to this device's commands, in their order

function socketUrl(path) {
  return (location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + path;
}

function element(name, text, attributes) {
  const node = document.createElement(name);
  node.textContent = text;
  Object.assign(node, attributes);
  return node;
}

function showError(id, text) {
  byId(id).textContent = text || '';
  byId(id).hidden = !text;
}

// ---- The HTTP API ----

// The answer's JSON value; an Error with the server's own words when it refuses.
async function request(method, path, value) {
  const options = { method };
  if (value !== undefined) {
    options.headers = { 'Content-Type': 'application/json' };
    options.body = JSON.stringify(value);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    throw new Error('The server cannot be reached.');
  }
  const isJson = (response.headers.get('Content-Type') || '').startsWith('application/json');
  const answer = isJson ? await response.json() : {};
  if (!response.ok)
    throw new Error(answer.error || 'The server answered ' + response.status + '.');
  return answer;
}

// ---- Live list of devices ----

// An unchanged list is left alone, so that it does not close under the hand of its user.
function fillSelect(select, serials) {
  const chosen = select.value;
  if (serials.join() === [...select.options].map((option) => option.value).join())
    return;
  select.replaceChildren(...serials.map((serial) => element('option', serial, { value: serial })));
  if (serials.includes(chosen))
    select.value = chosen;
  else if (select.id === 'member' && serials.includes(ownSerial))
    select.value = ownSerial;
}

function deviceRow(serial, device) {
  const row = document.createElement('tr');
  const since = new Date(device.since);
  const time = element('time', since.toLocaleTimeString(), { dateTime: device.since });
  const when = document.createElement('td');
  when.append(time);
  row.append(element('td', serial === ownSerial ? serial + ' (this tab)' : serial), when,
             element('td', [...device.groups].sort().join(', ') || 'none'));
  row.dataset.serial = serial;
  if (serial === ownSerial)
    row.setAttribute('aria-current', 'true');
  return row;
}

function draw() {
  const serials = [...devices.keys()].sort();
  const groups = new Set();
  for (const device of devices.values())
    device.groups.forEach((group) => groups.add(group));
  byId('devices').replaceChildren(...serials.map((serial) => deviceRow(serial, devices.get(serial))));
  byId('device-count').textContent = serials.length;
  byId('no-devices').hidden = serials.length > 0;
  fillSelect(byId('send-to'), serials);
  fillSelect(byId('member'), serials);
  byId('group-names').replaceChildren(
    ...[...groups].sort().map((group) => element('option', '', { value: group })));
}

// Many changes at once are drawn once.
let drawing = false;
function drawSoon() {
  if (drawing)
    return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    draw();
  });
}

const changes = {
  devices(event) {
    devices.clear();
    for (const device of event.devices)
      devices.set(device.serial, { since: device.since, groups: new Set(device.groups) });
  },
  connected(event) {
    const known = devices.get(event.serial);
    if (!known || known.since !== event.since)
      devices.set(event.serial, { since: event.since, groups: new Set() });
  },
  disconnected(event) {
    // The serial may be connected anew by the time its old end is told.
    const known = devices.get(event.serial);
    if (known && known.since === event.since)
      devices.delete(event.serial);
  },
  joined(event) {
    const device = devices.get(event.serial);
    if (device)
      device.groups.add(event.group);
  },
  left(event) {
    const device = devices.get(event.serial);
    if (device)
      device.groups.delete(event.group);
  },
};

function watch() {
  const live = byId('live');
  const watcher = new WebSocket(socketUrl('/watch'));
  watcher.onopen = () => {
    live.textContent = 'Live updates: on';
    live.dataset.state = 'on';
  };
  watcher.onmessage = (message) => {
    const event = JSON.parse(message.data);
    if (Object.hasOwn(changes, event.type)) {
      changes[event.type](event);
      drawSoon();
    }
  };
  watcher.onclose = () => {
    live.textContent = 'Live updates: interrupted, trying again';
    live.dataset.state = 'off';
    setTimeout(watch, RECONNECT_MS);
  };
}

// ---- This tab as a device ----

function showConnected(connected) {
  byId('connect').disabled = connected;
  byId('serial').disabled = connected;
  byId('disconnect').disabled = !connected;
  byId('self-state').textContent = connected ? 'Connected as ' + ownSerial + '.' : 'Not connected.';
  drawSoon();
}

function logMessage(message) {
  const item = document.createElement('li');
  const from = message.from === null ? 'HTTP' : message.from;
  const via = message.group ? ' to group ' + message.group : '';
  const body = typeof message.body === 'string' ? message.body : JSON.stringify(message.body);
  item.append(element('time', new Date().toLocaleTimeString()),
              element('span', ' from ' + from + via, { className: 'from' }),
              element('span', body, { className: 'body' }));
  byId('log').prepend(item);
  byId('no-messages').hidden = true;
  while (byId('log').children.length > LOG_LINES_MAX)
    byId('log').lastChild.remove();
}

function onDeviceMessage(text) {
  const message = JSON.parse(text);
  if (message.type === 'message') {
    logMessage(message);
    return;
  }
  const waiting = answers.shift();
  if (waiting && message.type === 'ok')
    waiting.resolve(message);
  else if (waiting)
    waiting.reject(new Error(message.error));
}

function endDevice() {
  answers.forEach((waiting) => waiting.reject(new Error('The connection ended.')));
  answers = [];
  socket = null;
  ownSerial = null;
  showConnected(false);
}

// A browser hides why a WebSocket was refused; the same address tells it by plain HTTP.
async function explainRefusal(path) {
  try {
    await request('GET', path);
  } catch (error) {
    showError('connect-error', 'Cannot connect: ' + error.message);
  }
}

function connect(serial) {
  const path = '/devices/' + encodeURIComponent(serial) + '/connect';
  const device = new WebSocket(socketUrl(path));
  let opened = false;
  showError('connect-error', '');
  byId('connect').disabled = true;
  device.onopen = () => {
    opened = true;
    socket = device;
    ownSerial = serial;
    showConnected(true);
  };
  device.onmessage = (message) => onDeviceMessage(message.data);
  device.onclose = (event) => {
    endDevice();
    if (!opened)
      explainRefusal(path);
    else if (!event.wasClean || event.code !== 1000)
      showError('connect-error', 'The connection ended' + (event.reason ? ': ' + event.reason : '.'));
  };
}

function command(value) {
  return new Promise((resolve, reject) => {
    answers.push({ resolve, reject });
    socket.send(JSON.stringify(value));
  });
}

// ---- Sending and groups: as this tab's device when it is one, else by the HTTP API ----

function sendTo(serial, body) {
  if (socket)
    return command({ type: 'send', to: serial, body });
  return request('POST', '/devices/' + encodeURIComponent(serial) + '/messages', { body });
}

function publishTo(group, body) {
  if (socket)
    return command({ type: 'publish', group, body });
  return request('POST', '/groups/' + encodeURIComponent(group) + '/messages', { body });
}

function changeMember(method, group, serial) {
  return request(method, '/groups/' + encodeURIComponent(group) + '/members/' +
                         encodeURIComponent(serial));
}

// Runs an action and shows what came of it in the result or the error line of its form.
async function attempt(form, action) {
  byId(form + '-result').textContent = '';
  showError(form + '-error', '');
  try {
    byId(form + '-result').textContent = await action();
    return true;
  } catch (error) {
    showError(form + '-error', 'Not done: ' + error.message);
    return false;
  }
}

async function membership(method, verb) {
  if (!byId('group').reportValidity())
    return;
  const group = byId('group').value;
  const serial = byId('member').value;
  await attempt('group', async () => {
    if (!serial)
      throw new Error('No device is connected.');
    await changeMember(method, group, serial);
    return serial + ' ' + verb + ' ' + group + '.';
  });
}

byId('connect-form').onsubmit = (event) => {
  event.preventDefault();
  connect(byId('serial').value);
};

byId('disconnect').onclick = () => socket && socket.close(1000);

byId('send-form').onsubmit = async (event) => {
  event.preventDefault();
  const to = byId('send-to').value;
  const sent = await attempt('send', async () => {
    await sendTo(to, byId('send-text').value);
    return 'Sent to ' + to + '.';
  });
  if (sent)
    byId('send-text').value = '';
};

byId('group-form').onsubmit = async (event) => {
  event.preventDefault();
  const group = byId('group').value;
  const sent = await attempt('group', async () => {
    const answer = await publishTo(group, byId('publish-text').value);
    return 'Published to ' + answer.receivers + (answer.receivers === 1 ? ' device.' : ' devices.');
  });
  if (sent)
    byId('publish-text').value = '';
};

byId('join').onclick = () => membership('PUT', 'joined');
byId('leave').onclick = () => membership('DELETE', 'left');

draw();
watch();
