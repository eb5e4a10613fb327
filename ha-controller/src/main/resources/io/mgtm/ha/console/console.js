// The page: what is known, and what was asked of it.

import {h, show} from './dom.js';
import {Model} from './model.js';
import * as views from './views.js';
import {Follower, get, role, signOut, token} from './server.js';
import {act, askToken} from './dialog.js';

const EVENTS_MAX = 256;

const page = {mode: '', role: '', mayAct: false, signedIn: Boolean(token()), lostAt: 0, lostWhy: '', refusedWhy: '', refusedStatus: 0};
let model = null;

// The configuration of a controller that has no state yet, or never has.
let file = null;
let events = [];
let allEvents = false;
let learning = false;
let said = '';

const part = (id) => document.getElementById(id);

function draw() {
  const now = Date.now();
  document.body.classList.toggle('old', page.mode === 'lost' || page.mode === 'refused');
  show(part('top'), views.top(model, page));
  show(part('banner'), views.banner(model, page));
  show(part('said'), said ? [h('p', {}, said)] : []);
  if (!model) {
    return;
  }
  document.title = `${model.verdict().word} – ${model.config.cluster || 'mgtm HA'}`;
  show(part('attention'), page.mode === 'refused' ? [] : views.attention(model, page, now));
  show(part('hierarchies'), views.hierarchies(model, page));
  show(part('nodes'), views.nodes(model, page));
  section('volumes', views.volumes(model));
  section('query', views.query(model));
  section('gtm', views.gtm(model));
  show(part('events'), views.events(events, part('filter').value, allEvents));
  filters();
}

function section(id, content) {
  part(id + '-section').hidden = content.length === 0;
  show(part(id), content);
}

function filters() {
  const subjects = [...new Set(events.map((e) => e.subject))].sort();
  const filter = part('filter');
  if (document.activeElement !== filter) {
    const chosen = filter.value;
    show(filter, [h('option', {value: ''}, 'all'), ...subjects.map((s) => h('option', {value: s}, s))]);
    filter.value = subjects.includes(chosen) ? chosen : '';
  }
}

function say(text) {
  said = text;
  draw();
  setTimeout(() => {
    if (said === text) {
      said = '';
      draw();
    }
  }, 8000);
}

// What somebody who listens is told: that a hierarchy has changed, and that an answer is awaited.
function changes(before, after) {
  const told = [];
  for (const name of after.hierarchyNames()) {
    const was = before.config.hierarchies[name] && before.hierarchy(name);
    const is = after.hierarchy(name);
    const node = after.placement(name).node;
    if (was && was.word !== is.word) {
      told.push(`${name}: ${is.word}${node && is.tone === 'ok' ? ' on ' + node : ''}.`);
    }
    const pending = after.placement(name).pending;
    if (pending && !before.placement(name).pending) {
      told.push(`${name} would move to ${pending.toward}, and waits for you.`);
    }
  }
  return told.join(' ');
}

function take(view) {
  const before = model;
  model = new Model(view, Date.now(), file);
  const told = before ? changes(before, model) : '';
  if (told) {
    part('live').textContent = told;
  }
  model.events = events;
  model.role = page.role;
  if (page.mode === 'lost') {
    page.mode = 'polling';
  }
}

const follower = new Follower({
  lastEvent: () => (events.length ? events[events.length - 1].id : 0),
  whole(view) {
    events = view.state.events || [];
    take(view);
    draw();
    learn();
  },
  status(view) {
    take(view);
    if (page.mode !== 'live') {
      page.mode = 'live';
    }
    draw();
    learn();
  },
  event(event) {
    if (!events.length || event.id > events[events.length - 1].id) {
      events = [...events, event].slice(-EVENTS_MAX);
      if (model) {
        model.events = events;
      }
    }
  },
  mode(word) {
    page.mode = word;
    draw();
  },
  lost(why) {
    if (page.mode !== 'lost') {
      page.mode = 'lost';
      page.lostAt = Date.now();
    }
    page.lostWhy = why;
    draw();
  },
  refused(error) {
    page.mode = 'refused';
    page.refusedWhy = error.message;
    page.refusedStatus = error.status;
    page.role = '';
    page.mayAct = false;
    draw();
  },
});

// What the page may do, asked until there is an answer, of whoever is signed in by then.
async function learn() {
  if (page.role || learning) {
    return;
  }
  learning = true;
  const asking = token();
  try {
    const learned = await role();
    file = file || await get('/v1/config');
    if (asking === token()) {
      page.role = learned;
      page.mayAct = learned !== 'guest';
      if (model) {
        model.role = learned;
      }
      draw();
    }
  } catch {
    // The next status asks again.
  } finally {
    learning = false;
  }
}

function again() {
  page.signedIn = Boolean(token());
  page.role = '';
  page.mayAct = false;
  page.mode = '';
  draw();
  follower.restart();
}

document.addEventListener('click', (e) => {
  const button = e.target.closest('[data-act]');
  if (!button) {
    return;
  }
  const what = button.getAttribute('data-act');
  if (what === 'sign-in') {
    askToken(again);
  } else if (what === 'sign-out') {
    signOut();
    again();
  } else if (what === 'all-events') {
    allEvents = true;
    draw();
  } else {
    act(what, button.getAttribute('data-of'), model, say);
  }
});
part('filter').addEventListener('change', draw);

// Countdowns run, and ages grow, also between two messages.
setInterval(() => {
  if (model && model.hierarchyNames().some((name) => model.placement(name).pending)) {
    draw();
  }
}, 1000);

draw();
follower.run();
