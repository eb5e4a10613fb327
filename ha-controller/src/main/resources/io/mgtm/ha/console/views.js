// What is shown of a model. Each view gives nodes; nothing is kept here.

import {h, state, shape, seconds, countdown, bytes} from './dom.js';
import {broad, graph} from './graph.js';
import {words} from './model.js';

const LOCAL_TIME = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false});
const LOCAL_DAY = new Intl.DateTimeFormat(undefined, {month: 'short', day: '2-digit'});

export function clock(ms) {
  const then = new Date(ms);
  const today = new Date().toDateString() === then.toDateString();
  return (today ? '' : LOCAL_DAY.format(then) + ' ') + LOCAL_TIME.format(then);
}

function button(act, of, label, more) {
  return h('button', {type: 'button', 'data-key': act + ' ' + of, 'data-act': act, 'data-of': of, ...more}, label);
}

export function top(model, page) {
  const verdict = model ? model.verdict() : {tone: 'unknown', word: 'Not known yet', why: ''};
  const view = model ? model.view : {};
  const mode = {live: ['ok', 'live'], polling: ['busy', 'polling'], lost: ['bad', 'no answer'], refused: ['warn', 'signed out']}[page.mode] || ['unknown', 'connecting'];
  return [
    h('div', {class: 'title'},
      h('h1', {}, model ? model.config.cluster || 'HA' : 'HA'),
      h('div', {class: 'verdict', title: verdict.why}, state(verdict.tone, verdict.word))),
    h('dl', {class: 'who'},
      h('div', {}, h('dt', {}, 'asked'), h('dd', {}, view.node || '–')),
      h('div', {}, h('dt', {}, 'decides'), h('dd', {}, view.leader || 'nobody')),
      h('div', {}, h('dt', {}, 'term'), h('dd', {}, view.term ? String(view.term) : '–')),
      h('div', {}, h('dt', {}, 'page'), h('dd', {}, state(mode[0], mode[1])))),
    h('div', {class: 'tools'},
      model && model.state.clusterMaintenance ? state('hold', 'maintenance') : null,
      page.mayAct && model ? button('maintain-cluster', '', model.state.clusterMaintenance ? 'End maintenance…' : 'Maintenance…', {class: 'plain'}) : null,
      page.role === 'guest' ? h('span', {class: 'role'}, 'guest: looks only') : null,
      page.signedIn ? button('sign-out', '', 'Sign out', {class: 'plain'}) : button('sign-in', '', 'Sign in…', {class: 'plain'})),
  ];
}

// Never links to what the controller says: only to the api addresses of the configuration.
export function banner(model, page) {
  if (page.mode === 'lost') {
    const others = model ? model.nodeNames().filter((name) => name !== model.view.node) : [];
    return [h('div', {class: 'alert bad'}, shape('bad'),
      h('div', {},
        h('strong', {}, `No answer from ${model ? 'the controller of ' + model.view.node : 'the controller'}`),
        h('span', {}, model ? ` since ${clock(page.lostAt)} (${page.lostWhy}). What is shown is old; asked again every 2 s.` : ` (${page.lostWhy}). Asked again every 2 s.`),
        others.length ? h('div', {class: 'links'}, 'Others: ', others.map((name) => h('a', {href: `${location.protocol}//${model.config.nodes[name].api}/`}, name))) : null))];
  }
  if (page.mode === 'refused') {
    return [h('div', {class: 'alert warn'}, shape('warn'),
      h('div', {}, h('strong', {}, page.refusedStatus === 403 ? 'This controller refuses' : 'Sign in to see the cluster'), h('span', {}, `: ${page.refusedWhy}.`)),
      page.refusedStatus === 403 && !page.signedIn ? null : button('sign-in', '', 'Sign in…', {class: 'main'}))];
  }
  if (model && !model.state.config) {
    const others = model.nodeNames().filter((name) => name !== model.view.node);
    return [h('div', {class: 'alert warn'}, shape('warn'),
      h('div', {}, h('strong', {}, `The controller of ${model.view.node} has no state`), h('span', {}, ': it is a witness, or has just begun.'),
        others.length ? h('div', {class: 'links'}, 'Ask one of the others: ', others.map((name) => h('a', {href: `${location.protocol}//${model.config.nodes[name].api}/`}, name))) : null))];
  }
  if (model && !model.view.leader) {
    return [h('div', {class: 'alert bad'}, shape('bad'),
      h('div', {}, h('strong', {}, 'No controller decides'), h('span', {}, `: a majority is not connected. Within ${seconds(model.timing.leaseMs + model.timing.guardMs)} what runs is taken out of service.`)))];
  }
  return [];
}

export function attention(model, page, now) {
  return model.attention().map((item, i) => {
    const key = {'data-key': `${item.kind}-${item.subject}-${i}`};
    if (item.kind !== 'pending') {
      return h('div', {class: 'alert ' + item.tone, ...key}, shape(item.tone),
        h('div', {}, h('strong', {}, item.subject), ' ', h('span', {}, item.text)),
        item.kind === 'start' && page.mayAct ? button('start', item.subject, 'Start…') : null);
    }
    const pending = model.placement(item.subject).pending;
    const left = model.pendingLeftMs(item.subject, now);
    const total = pending.deadline - pending.since;
    return h('div', {class: 'alert warn pending', ...key}, shape('warn'),
      h('div', {},
        h('strong', {}, `Move ${item.subject} to ${pending.toward}?`), ' ', h('span', {}, item.text),
        h('div', {class: 'count'},
          left === Infinity
            ? h('span', {}, 'It waits for you, however long.')
            : [h('span', {}, left > 0 ? 'By itself in ' : 'By itself ', h('time', {class: 'countdown', 'aria-live': 'off'}, left > 0 ? countdown(left) : 'now')),
              h('progress', {max: Math.max(1, total), value: Math.max(0, total - left), 'aria-label': `waited for an operator for ${item.subject}`})])),
      page.mayAct ? h('div', {class: 'acts'}, button('confirm', item.subject, 'Move now…', {class: 'main'}), button('cancel', item.subject, 'Cancel the move…')) : null);
  });
}

function nodeRow(model, name, node) {
  const p = model.placement(name);
  const report = model.report(node, name);
  const contact = model.contact(node);
  const said = report ? words(report.state) : words('UNKNOWN');
  const failure = (p.failures || {})[node];
  const notes = [];
  if (contact.tone === 'bad') {
    notes.push(h('span', {class: 'state bad'}, shape('bad'), contact.word));
  }
  for (const copy of model.copies(node, name)) {
    notes.push(h('span', {class: 'state ' + (copy.usable ? 'ok' : copy.unknown ? 'unknown' : 'warn'), title: `copy of ${copy.resource}`},
      shape(copy.usable ? 'ok' : copy.unknown ? 'unknown' : 'warn'), `${copy.resource} ${copy.inStep ? copy.copy : 'Outdated'}`));
  }
  if (model.nodeInMaintenance(node)) {
    notes.push(state('hold', 'maintenance'));
  }
  if (model.isRetired(node)) {
    notes.push(state('hold', 'retired'));
  }
  if (failure) {
    notes.push(h('span', {class: 'state bad', title: failure.detail}, shape('bad'), `failed: ${failure.resource}: ${failure.detail}`));
  } else if (report && !['IN', 'OUT'].includes(report.state) && report.detail) {
    notes.push(h('span', {class: 'quiet'}, report.detail));
  }
  return h('tr', {'data-key': node, class: p.node === node ? 'here' : undefined},
    h('th', {scope: 'row'}, node, p.node === node ? h('span', {class: 'tag'}, 'placed') : null),
    h('td', {}, contact.tone === 'bad' ? h('span', {class: 'quiet'}, `was ${said.word}`) : state(said.tone, said.word)),
    h('td', {}, h('div', {class: 'notes'}, notes)));
}

export function hierarchies(model, page) {
  const names = model.hierarchyNames();
  if (!names.length) {
    return [h('p', {class: 'quiet'}, 'Nothing is protected: the configuration names no hierarchy.')];
  }
  return names.map((name) => {
    const config = model.config.hierarchies[name];
    const p = model.placement(name);
    const is = model.hierarchy(name);
    const node = model.shownNode(name);
    const report = model.report(node, name);
    const maintained = (model.state.hierarchyMaintenance || []).includes(name);
    const lost = model.contact(node).tone === 'bad';
    const states = report && !lost ? report.resources : {};
    // What a head and a graph tell of one node needs no table.
    const small = config.nodes.length === 1 && Object.keys(config.resources).length < 3;
    return h('article', {class: `card ${is.tone}${small ? ' small' : ''}`, 'data-key': name, 'aria-label': 'hierarchy ' + name},
      h('div', {class: 'head'},
        h('h3', {}, name),
        state(is.tone, is.word),
        p.node ? h('span', {class: 'where'}, 'on ', h('b', {}, p.node)) : null,
        model.inMaintenance(name) ? state('hold', 'maintenance') : null,
        is.why ? h('span', {class: 'why'}, is.why) : null,
        page.mayAct ? h('div', {class: 'acts'},
          p.wanted && p.node && config.nodes.length > 1 ? button('switchover', name, 'Switch over…') : null,
          !p.wanted || !p.node ? button('start', name, 'Start…') : null,
          p.wanted ? button('stop', name, 'Stop…') : null,
          p.node ? button('check', name, 'Check…') : null,
          button('maintain-hierarchy', name, maintained ? 'End maintenance…' : 'Maintenance…')) : null),
      h('div', {class: 'body'},
        h('figure', {},
          h('div', {class: 'scroll', tabindex: broad(config.resources) ? 0 : undefined, role: 'group', 'aria-label': 'graph of ' + name}, graph(name, config.resources, states, node)),
          h('figcaption', {}, lost ? `not known: ${node} is silent` : `as ${node} says`, report && report.recoveries ? `, repaired ${times(report.recoveries)}` : '')),
        small ? null : h('div', {class: 'placed'},
          h('table', {}, h('caption', {class: 'hidden'}, `${name} by node`),
            h('thead', {class: 'hidden'}, h('tr', {}, h('th', {scope: 'col'}, 'node'), h('th', {scope: 'col'}, 'state'), h('th', {scope: 'col'}, 'copies, notes'))),
            h('tbody', {}, config.nodes.map((each) => nodeRow(model, name, each)))),
          h('p', {class: 'quiet'}, `epoch ${p.epoch || 0}`, p.failovers && p.failovers.length ? `, failed over ${times(p.failovers.length)}` : '', config.nodes.length > 1 ? `; fails over ${policy(model, config)}` : ''))));
  });
}

function times(n) {
  return n === 1 ? 'once' : `${n} times`;
}

function policy(model, config) {
  const word = {AUTOMATIC: 'by itself', MANUAL_FIRST: 'after asking', MANUAL: 'by hand'};
  const sites = new Set(config.nodes.map((node) => (model.config.nodes[node] || {}).site));
  const within = word[config.policy.failover];
  return sites.size > 1 ? `within a site ${within}, between sites ${word[config.policy.failoverBetweenSites]}` : within;
}

export function nodes(model, page) {
  return [h('table', {class: 'nodes'}, h('caption', {class: 'quiet'}, `as ${model.view.node} hears them`),
    h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'node'), h('th', {scope: 'col'}, 'state'), h('th', {scope: 'col'}, 'paths'))),
    h('tbody', {}, model.nodeNames().map((name) => {
      const node = model.config.nodes[name];
      const contact = model.contact(name);
      const maintained = model.nodeInMaintenance(name);
      return h('tr', {'data-key': name},
        h('th', {scope: 'row'}, name,
          name === model.view.leader ? h('span', {class: 'tag lead'}, 'decides') : null,
          node.witness ? h('span', {class: 'tag'}, 'witness') : null,
          node.site ? h('div', {class: 'quiet'}, 'site ' + node.site) : null),
        h('td', {}, state(contact.tone, contact.word),
          maintained ? h('div', {}, state('hold', 'maintenance')) : null,
          model.isRetired(name) ? h('div', {}, model.placedOn(name).length ? state('busy', 'retires') : state('hold', 'retired')) : null,
          page.mayAct && !node.witness ? h('div', {}, button('maintain-node', name, maintained ? 'End maintenance…' : 'Maintenance…', {class: 'plain'}),
            model.isRetired(name) ? button('activate-node', name, 'Activate…', {class: 'plain'}) : button('retire-node', name, 'Retire…', {class: 'plain'})) : null),
        h('td', {class: 'paths'}, model.paths(name).map((path) => h('div', {title: path.address},
          h('span', {class: 'quiet'}, path.name), ' ', state(path.tone, path.word), path.ms === undefined || path.tone === 'ok' ? null : h('span', {class: 'num'}, seconds(path.ms))))));
    })))];
}

function resync(link) {
  const r = link.resync;
  const share = r.total > 0 ? Math.min(1, r.done / r.total) : 0;
  return h('div', {class: 'resync'},
    h('progress', {max: 1, value: share.toFixed(4), 'aria-label': 'resync to ' + link.to}),
    h('span', {class: 'num'}, `${Math.floor(share * 100)} %`),
    h('span', {class: 'quiet num'}, `${bytes(r.done)} of ${bytes(r.total)}${r.rate ? ', ' + bytes(r.rate) + '/s' : ''}, ${r.leftMs > 0 ? seconds(r.leftMs) + ' left' : 'time left not known yet'}`));
}

const LINK_TONES = {'up-to-date': 'ok', syncing: 'busy', finishing: 'busy', meeting: 'busy', behind: 'warn', down: 'bad', refused: 'bad', paused: 'hold'};

export function volumes(model) {
  return model.volumes().map((volume) => h('div', {class: 'block', 'data-key': volume.hierarchy + '/' + volume.resource},
    h('h3', {}, volume.name, h('span', {class: 'quiet'}, ` ${volume.hierarchy}/${volume.resource}`), volume.copies[0] && volume.copies[0].sizeBytes ? h('span', {class: 'quiet num'}, ' ' + bytes(volume.copies[0].sizeBytes)) : null),
    h('ul', {class: 'copies'}, volume.copies.map((copy) => h('li', {'data-key': copy.node},
      h('div', {class: 'copy'}, h('b', {}, copy.node), copy.role ? h('span', {class: 'tag' + (copy.role === 'primary' ? ' lead' : '')}, copy.role) : null,
        copy.heard ? state(copy.disk === 'UpToDate' && copy.inStep !== false ? 'ok' : copy.disk === 'not known' ? 'unknown' : 'warn', copy.inStep === false ? 'Outdated' : copy.disk) : state('unknown', 'not heard')),
      copy.role === 'primary' && copy.heard ? copy.links.map((link) => h('div', {class: 'link', 'data-key': link.to},
        h('span', {}, '→ ', link.to), state(LINK_TONES[link.state] || 'unknown', link.state),
        link.behindBytes && !link.resync ? h('span', {class: 'quiet num'}, `${bytes(link.behindBytes)} to send`) : null,
        link.resync ? resync(link) : null)) : null)))));
}

function members(list, leader, tag) {
  return h('table', {}, h('caption', {class: 'hidden'}, 'members'),
    h('thead', {}, h('tr', {}, ['member', 'state', 'lag'].map((name) => h('th', {scope: 'col'}, name)))),
    h('tbody', {}, list.map((m) => h('tr', {'data-key': m.name},
      h('th', {scope: 'row'}, m.name, m.name === leader ? h('span', {class: 'tag lead'}, tag) : null, m.kind === 'voter' ? null : h('span', {class: 'tag'}, m.kind)),
      h('td', {}, m.trouble ? state('warn', m.trouble) : m.connected ? state('ok', 'connected') : state('bad', 'not connected')),
      h('td', {class: 'num'}, m.lag >= 0 ? `${m.lag} entries` : '–')))));
}

export function gtm(model) {
  return model.gtmGroups().map((group) => h('div', {class: 'block', 'data-key': group.key},
    h('h3', {}, group.mode === 'single' ? 'single node' : `${group.mode} group`, h('span', {class: 'quiet'}, ` durability ${group.durability || 'not known'}`)),
    h('dl', {class: 'who'},
      h('div', {}, h('dt', {}, 'leader'), h('dd', {}, group.leader ? group.leader : state('bad', 'none'))),
      h('div', {}, h('dt', {}, 'term'), h('dd', {class: 'num'}, group.term || '–')),
      h('div', {}, h('dt', {}, 'committed'), h('dd', {class: 'num'}, group.committed || '–')),
      h('div', {}, h('dt', {}, 'sessions'), h('dd', {class: 'num'}, group.sessions || '0'))),
    members(group.members, group.leader, 'leads'),
    group.leads ? null : h('p', {class: 'quiet'}, `as ${group.asked} knows it: the leader is not heard`),
    h('details', {}, h('summary', {}, `Who connects: ${group.gateways.length} ${group.gateways.length === 1 ? 'gateway' : 'gateways'}, ${group.nodes.filter((n) => n.connected).length} of ${group.nodes.length} nodes`),
      h('ul', {class: 'plain'}, group.gateways.map((g) => h('li', {}, g)), group.nodes.map((n) => h('li', {}, state(n.connected ? 'ok' : 'off', n.connected ? 'connected' : 'away'), ' ', n.name))))));
}

const SERVER_TONES = {leader: 'ok', in: 'ok', out: 'bad'};

function queryServers(group) {
  return h('table', {}, h('caption', {class: 'hidden'}, 'servers'),
    h('thead', {}, h('tr', {}, ['server', 'state', 'queue', 'lag', 'reads'].map((name) => h('th', {scope: 'col'}, name)))),
    h('tbody', {}, group.servers.map((s) => h('tr', {'data-key': s.name},
      h('th', {scope: 'row'}, s.name, s.state === 'leader' ? h('span', {class: 'tag lead'}, 'leads') : null, s.version === '-' ? null : h('div', {class: 'quiet'}, s.version)),
      h('td', {}, state(SERVER_TONES[s.state] || 'unknown', s.state === 'leader' ? 'in' : s.state), s.why ? h('div', {class: 'quiet'}, s.why) : null),
      h('td', {class: 'num'}, String(s.running)),
      h('td', {class: 'num'}, s.behind >= 0 ? String(s.behind) : '–'),
      h('td', {class: 'num'}, String(s.reads))))));
}

export function query(model) {
  return model.queryGroups().map((group) => h('div', {class: 'block', 'data-key': group.key},
    h('h3', {}, group.members.length ? 'group of ' + group.members.map((m) => m.name).join(', ') : group.key, group.adding ? h('span', {class: 'quiet'}, ` adding ${group.adding}`) : null),
    h('dl', {class: 'who'},
      h('div', {}, h('dt', {}, 'leader'), h('dd', {}, group.serves ? group.leader : state('bad', 'not known'))),
      h('div', {}, h('dt', {}, 'servers in'), h('dd', {class: 'num'}, group.serves ? `${group.serversIn} of ${group.servers.length}, ${group.serversMin} to write` : '–')),
      h('div', {}, h('dt', {}, 'sessions'), h('dd', {class: 'num'}, group.sessions || '–')),
      group.members.length ? h('div', {}, h('dt', {}, 'term'), h('dd', {class: 'num'}, group.term || '–')) : null),
    group.serves ? queryServers(group) : h('p', {class: 'quiet'}, `as ${group.asked} knows it: ${group.leads ? group.leads + ', which leads, is not heard' : 'no replicator serves'}`),
    group.members.length ? members(group.members, group.leads, 'serves') : null,
    group.troubles.map((told) => h('p', {}, state('warn', told)))));
}

export function events(list, filter, all) {
  const found = list.filter((e) => !filter || e.subject === filter).slice().reverse();
  const shown = all ? found : found.slice(0, 40);
  if (!found.length) {
    return [h('p', {class: 'quiet'}, 'Nothing has been decided yet.')];
  }
  return [h('ol', {class: 'events'}, shown.map((e) => h('li', {'data-key': e.id},
    h('details', {},
      h('summary', {},
        h('time', {datetime: new Date(e.wall).toISOString(), class: 'num'}, clock(e.wall)),
        h('span', {class: 'what'}, h('b', {}, e.subject), ' ', e.what),
        h('span', {class: 'cause'}, e.cause, e.by === 'controller' ? '' : `: ${e.by}`)),
      h('div', {class: 'because'},
        h('p', {}, `Event ${e.id}, decided by ${e.by === 'controller' ? 'the controller itself' : e.by}, because `, e.cause || 'nothing was said', '.'),
        Object.keys(e.observations || {}).length ? h('dl', {}, Object.entries(e.observations).map(([k, v]) => h('div', {}, h('dt', {}, k), h('dd', {}, v)))) : h('p', {class: 'quiet'}, 'Nothing else was seen before it.')))))),
  found.length > shown.length ? button('all-events', '', `Show ${found.length - shown.length} older`, {class: 'plain'}) : null].filter(Boolean);
}
