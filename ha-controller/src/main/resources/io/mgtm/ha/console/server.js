// What the page asks of its controller: the stream of events with the status each second, polling
// where no stream is to be had, and actions. The token is kept in this tab alone.

const TOKEN = 'mgtm-ha-token';
const NAME = 'mgtm-ha-name';
const RETRY_MS = 2000;
const POLL_MS = 2000;
const SILENT_MS = 6000;
const STREAM_AGAIN_MS = 30000;
const TEXT_MAX = 4 << 20;

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const token = () => sessionStorage.getItem(TOKEN) || '';
export const operator = () => sessionStorage.getItem(NAME) || '';

export function signIn(newToken, name) {
  sessionStorage.setItem(TOKEN, newToken);
  // A header's value.
  sessionStorage.setItem(NAME, name.replace(/[^\x20-\x7e]/g, '?').slice(0, 60));
}

export function signOut() {
  sessionStorage.removeItem(TOKEN);
  sessionStorage.removeItem(NAME);
}

function headers(more) {
  const all = {'Mgtm-Operator': operator() || 'console', ...more};
  if (token()) {
    all.Authorization = 'Bearer ' + token();
  }
  return all;
}

async function refusal(response) {
  let said = '';
  try {
    said = (await response.json()).error || '';
  } catch {
    said = '';
  }
  return new Refused(response.status, said || `the controller answers ${response.status}`);
}

export async function get(path) {
  const response = await fetch(path, {headers: headers({'Mgtm-Forward': '1'}), cache: 'no-store', signal: AbortSignal.timeout(SILENT_MS)});
  if (!response.ok) {
    throw await refusal(response);
  }
  return response.json();
}

export async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: headers({'Content-Type': 'application/json', 'Mgtm-Forward': '1'}),
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(40000),
  });
  if (!response.ok) {
    throw await refusal(response);
  }
  return response.json();
}

// A controller from before knows no roles, and lets who may ask act.
export async function role() {
  try {
    return (await get('/v1/whoami')).role || 'operator';
  } catch (e) {
    if (e instanceof Refused && e.status === 404) {
      return 'operator';
    }
    throw e;
  }
}

// Splits a stream into messages.
class Messages {
  constructor(told) {
    this.told = told;
    this.text = '';
  }

  take(chunk) {
    this.text += chunk;
    let end = this.text.indexOf('\n\n');
    while (end >= 0) {
      this.message(this.text.slice(0, end));
      this.text = this.text.slice(end + 2);
      end = this.text.indexOf('\n\n');
    }
    if (this.text.length > TEXT_MAX) {
      throw new Error('a message is too long');
    }
  }

  message(text) {
    const fields = {data: []};
    for (const line of text.split('\n')) {
      const colon = line.indexOf(':');
      if (colon > 0) {
        const value = line.slice(colon + 1).replace(/^ /, '');
        if (line.slice(0, colon) === 'data') {
          fields.data.push(value);
        } else {
          fields[line.slice(0, colon)] = value;
        }
      }
    }
    this.told(fields.event || '', fields.data.join('\n'));
  }
}

// Follows the controller for ever. `page` is told of status(view), event(event), lost(why),
// refused(error) and mode(word), and says lastEvent().
export class Follower {
  constructor(page) {
    this.page = page;
    this.heard = 0;
    this.again = null;
    this.stopped = false;
    this.streamBroke = 0;
  }

  // Begins anew, as after a sign-in.
  restart() {
    this.stopped = false;
    this.streamBroke = 0;
    if (this.again) {
      this.again.abort();
    } else {
      this.run();
    }
  }

  async run() {
    while (!this.stopped) {
      this.again = new AbortController();
      try {
        await this.once(this.again.signal);
        await this.pause(RETRY_MS);
      } catch (e) {
        if (this.again.signal.aborted && !(e instanceof Refused)) {
          if (this.timedOut) {
            this.page.lost('it has stopped answering');
            await this.pause(RETRY_MS);
          }
        } else if (e instanceof Refused && (e.status === 401 || e.status === 403)) {
          this.stopped = true;
          this.again = null;
          this.page.refused(e);
          return;
        } else {
          this.page.lost(e instanceof Refused ? e.message : 'it cannot be reached');
          await this.pause(RETRY_MS);
        }
      }
    }
    this.again = null;
  }

  pause(ms) {
    return new Promise((done) => setTimeout(done, ms));
  }

  async once(signal) {
    // First all there is, so that the page is whole whatever becomes of the stream.
    this.page.whole(await get('/v1/status'));
    const mayStream = Date.now() - this.streamBroke > STREAM_AGAIN_MS;
    if (mayStream && window.ReadableStream && await this.stream(signal)) {
      return;
    }
    this.page.mode('polling');
    await this.poll(signal);
  }

  async poll(signal) {
    const until = Date.now() + STREAM_AGAIN_MS;
    while (!signal.aborted && Date.now() < until) {
      await this.pause(POLL_MS);
      this.page.whole(await get('/v1/status'));
    }
  }

  // False when there is no stream to be had, though the controller answers.
  async stream(signal) {
    this.heard = Date.now();
    this.timedOut = false;
    const watch = setInterval(() => {
      if (Date.now() - this.heard > SILENT_MS) {
        // Something between may hold the stream back, also its begin: poll for a while.
        this.timedOut = true;
        this.streamBroke = Date.now();
        this.again.abort();
      }
    }, 500);
    try {
      return await this.read(signal);
    } finally {
      clearInterval(watch);
    }
  }

  async read(signal) {
    const response = await fetch('/v1/events/stream?status=true', {
      headers: headers({'Last-Event-ID': String(this.page.lastEvent()), Accept: 'text/event-stream'}),
      cache: 'no-store',
      // A witness names another controller, whose streams a page of this one may not read.
      redirect: 'manual',
      signal,
    });
    if (response.status === 401 || response.status === 403) {
      throw await refusal(response);
    }
    if (!response.ok || !(response.headers.get('Content-Type') || '').startsWith('text/event-stream')) {
      this.streamBroke = Date.now();
      return false;
    }
    this.page.mode('live');
    const messages = new Messages((event, data) => this.told(event, data));
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const {done, value} = await reader.read();
      if (done) {
        this.page.lost('it has ended the stream');
        return true;
      }
      this.heard = Date.now();
      messages.take(decoder.decode(value, {stream: true}));
    }
  }

  told(event, data) {
    if (event === 'status') {
      this.page.status(JSON.parse(data));
    } else if (event === 'event') {
      this.page.event(JSON.parse(data));
    }
  }
}
