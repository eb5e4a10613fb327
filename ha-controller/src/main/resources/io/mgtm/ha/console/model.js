// What the status means: words and tones for the views, and what an action will do. No elements here.

const WORDS = {
  IN: ['ok', 'in service'],
  STARTING: ['busy', 'starting'],
  RECOVERING: ['busy', 'being repaired'],
  STOPPING: ['busy', 'stopping'],
  FAILED: ['bad', 'failed'],
  STUCK: ['bad', 'stuck'],
  OUT: ['off', 'out'],
  UNKNOWN: ['unknown', 'not known'],
};

const NEVER = 9e15;
const DEFAULT_LIMIT_MS = 60000;
const DEFAULT_CHECK_MS = 10000;

const phrase = (tone, word, why) => ({tone, word, why: why || ''});
const entries = (object) => Object.entries(object || {});

// A member of a group, as the facts of one that was asked have it.
function member(name, facts) {
  const [kind, link, lag] = (facts['member.' + name] || '').split(' ');
  return {name, kind: kind || 'voter', connected: link !== 'away', lag: Number(lag)};
}

export function words(stateName) {
  const known = WORDS[stateName] || WORDS.UNKNOWN;
  return phrase(known[0], known[1]);
}

// Everything that the views ask for, from one status.
export class Model {
  constructor(view, receivedAt, file) {
    this.view = view;
    this.receivedAt = receivedAt;
    this.state = view.state || {};
    this.config = this.state.config || file || {nodes: {}, hierarchies: {}, timing: {heartbeatMs: 500, leaseMs: 4000, guardMs: 1000, driftPercent: 5}};
    this.timing = this.config.timing;
  }

  nodeNames() {
    return Object.keys(this.config.nodes);
  }

  hierarchyNames() {
    return Object.keys(this.config.hierarchies);
  }

  placement(hierarchy) {
    return (this.state.placements || {})[hierarchy] || {stage: 'OUT', node: '', last: '', wanted: true, failures: {}, failovers: []};
  }

  report(node, hierarchy) {
    const status = (this.view.nodes || {})[node];
    return status && status.reports ? status.reports[hierarchy] : undefined;
  }

  // How long ago a node was heard on its best path, as this controller heard it.
  silentMs(node) {
    const paths = Object.values(((this.view.nodes || {})[node] || {}).silentMs || {});
    return paths.length ? Math.min(...paths) : Infinity;
  }

  isWitness(node) {
    return Boolean((this.config.nodes[node] || {}).witness);
  }

  // A witness sends no heartbeats: it is heard by the log.
  contact(node) {
    if (node === this.view.node) {
      return phrase('ok', 'answers');
    }
    const connected = (this.view.connected || []).includes(node);
    if (this.isWitness(node)) {
      return connected ? phrase('ok', 'connected') : phrase('bad', 'not connected');
    }
    const ms = this.silentMs(node);
    if (ms === Infinity) {
      return phrase(connected ? 'unknown' : 'bad', 'never heard');
    }
    return ms <= this.timing.leaseMs ? phrase('ok', 'heard') : phrase('bad', 'silent');
  }

  // Paths of a node: one for each of its addresses.
  paths(node) {
    const config = this.config.nodes[node] || {paths: []};
    const heard = ((this.view.nodes || {})[node] || {}).silentMs || {};
    const networks = config.paths.map((address, i) => {
      const name = 'path' + (i + 1);
      const ms = heard[name];
      if (node === this.view.node) {
        return {name, address, ...phrase('off', 'itself')};
      }
      if (this.isWitness(node)) {
        return {name, address, ...phrase('off', 'not used')};
      }
      if (ms === undefined) {
        return {name, address, ...phrase('bad', 'never heard')};
      }
      const well = ms <= Math.max(4 * this.timing.heartbeatMs, 2000);
      return {name, address, ms, ...phrase(well ? 'ok' : 'bad', well ? 'ok' : 'silent')};
    });
    return networks.concat(this.quorumDisk(node));
  }

  // Whether the quorum disk votes for a node, as that says; nothing without a disk.
  quorumDisk(node) {
    const disk = ((this.view.nodes || {})[node] || {}).disk;
    if (!disk) {
      return [];
    }
    const said = disk.wrong ? phrase('bad', 'does not vote') : phrase('ok', 'votes');
    return [{name: 'quorum disk', address: disk.wrong || this.config.quorumDisk, ...said}];
  }

  inMaintenance(hierarchy) {
    return Boolean(this.state.clusterMaintenance) || (this.state.hierarchyMaintenance || []).includes(hierarchy);
  }

  nodeInMaintenance(node) {
    return (this.state.nodeMaintenance || []).includes(node);
  }

  // Whether nothing is placed on a node, by an operator.
  isRetired(node) {
    return node in (this.state.retired || {});
  }

  // What a node has in service, or is placed with.
  placedOn(node) {
    return this.hierarchyNames().filter((name) => this.placement(name).node === node);
  }

  // A hierarchy as a whole.
  hierarchy(name) {
    const p = this.placement(name);
    const report = p.node ? this.report(p.node, name) : undefined;
    if (p.stage === 'LEAVING') {
      return phrase('busy', 'leaving ' + p.node, p.toward ? 'moves to ' + p.toward : 'is taken out in order');
    }
    if (p.stage === 'REVOKED') {
      return phrase('busy', 'waiting', `until the last lease of ${p.node} is surely over`);
    }
    if (p.stage === 'HELD') {
      if (this.contact(p.node).tone === 'bad') {
        return phrase('bad', 'not heard', `${p.node}, which has it, is silent`);
      }
      const said = report ? report.state : 'UNKNOWN';
      if (said === 'OUT') {
        return phrase('busy', 'to start');
      }
      return {...words(said), why: said === 'IN' ? '' : report ? report.detail : ''};
    }
    if (p.halted) {
      return phrase('bad', 'halted', p.halted);
    }
    if (!p.wanted) {
      return phrase('hold', 'stopped', 'by an operator');
    }
    return p.pending ? phrase('warn', 'waits for you') : phrase('warn', 'out', p.waiting || 'a node is being chosen');
  }

  // The node whose resources a graph shows.
  shownNode(name) {
    const p = this.placement(name);
    return p.node || p.last || this.config.hierarchies[name].nodes[0];
  }

  // Milliseconds until a pending failover is done by itself; Infinity for never.
  pendingLeftMs(name, now) {
    const pending = this.placement(name).pending;
    if (pending.deadline > NEVER) {
      return Infinity;
    }
    return pending.deadline - this.view.at - (now - this.receivedAt);
  }

  // What of its copies a node has to say, in words.
  copies(node, hierarchy) {
    const report = this.report(node, hierarchy);
    const known = (this.state.copies || {})[hierarchy] || {};
    return entries(report && report.copies).map(([resource, copy]) => {
      const mark = known[resource];
      const inStep = !mark || mark.upToDate.includes(node);
      return {resource, copy: copy.copy, inStep, usable: copy.copy === 'UpToDate' && inStep, unknown: !mark};
    });
  }

  bottomUp(name) {
    const resources = this.config.hierarchies[name].resources;
    const ordered = [];
    const place = (resource) => {
      if (!ordered.includes(resource) && resources[resource]) {
        resources[resource].on.filter((below) => below !== resource).forEach(place);
        ordered.push(resource);
      }
    };
    Object.keys(resources).forEach(place);
    return ordered;
  }

  // What an operator is asked for or must know.
  attention() {
    const all = [];
    for (const name of this.hierarchyNames()) {
      const p = this.placement(name);
      if (p.pending && p.pending.answer === 'NONE') {
        all.push({kind: 'pending', tone: 'warn', subject: name, text: this.because(name)});
      } else if (p.pending && p.pending.answer === 'CANCELLED') {
        all.push({kind: 'text', tone: 'warn', subject: name, text: `The failover to ${p.pending.toward} was cancelled; ${name} stays as it is until its node is back or it is moved by hand.`});
      } else if (p.halted) {
        all.push({kind: 'start', tone: 'bad', subject: name, text: `Stays out of service until it is started: ${p.halted}.`});
      } else if (p.waiting && p.wanted) {
        all.push({kind: 'text', tone: 'warn', subject: name, text: `${p.stage === 'HELD' ? 'Cannot move' : 'Waits to come in service'}: ${p.waiting}.`});
      }
      const report = p.node ? this.report(p.node, name) : undefined;
      if (!p.pending && report && (report.state === 'FAILED' || report.state === 'STUCK')) {
        all.push({kind: 'text', tone: 'bad', subject: name, text: `${words(report.state).word} on ${p.node}: ${report.failed ? report.failed + ': ' : ''}${report.detail}.`});
      }
    }
    const told = [];
    for (const volume of this.volumes()) {
      for (const copy of volume.copies) {
        if (copy.warning) {
          told.push(copy.warning);
          all.push({kind: 'text', tone: 'warn', subject: volume.name, text: `On ${copy.node}: ${copy.warning}`});
        }
      }
    }
    for (const warning of this.view.warnings || []) {
      const of = this.hierarchyNames().find(name => warning.startsWith(name + ': '));
      if (!of || !told.some(copy => warning.includes(copy))) {
        all.push({kind: 'text', tone: 'warn', subject: of || 'controllers', text: of ? warning.slice(of.length + 2) : warning});
      }
    }
    return all;
  }

  // What has led to a failover that waits.
  because(name) {
    const p = this.placement(name);
    const from = p.node || p.last;
    const failure = (p.failures || {})[from];
    if (failure) {
      return `On ${from} ${failure.resource} has failed: ${failure.detail}.`;
    }
    return from && this.contact(from).tone === 'bad' ? `${from} is silent on all paths.` : `It was out of service on ${from}.`;
  }

  facts(node, hierarchy, resource) {
    const report = this.report(node, hierarchy);
    return report && report.facts ? report.facts[resource] : undefined;
  }

  ofKit(kit) {
    const all = [];
    for (const name of this.hierarchyNames()) {
      for (const [resource, r] of entries(this.config.hierarchies[name].resources)) {
        if (r.kit === kit) {
          all.push({hierarchy: name, resource, config: r, nodes: this.config.hierarchies[name].nodes});
        }
      }
    }
    return all;
  }

  volumes() {
    return this.ofKit('volume').map((v) => {
      const nodeOf = new Map();
      for (const one of String((v.config.parameters || {}).copies || '').split(',')) {
        const equals = one.indexOf('=');
        nodeOf.set(one.slice(equals + 1).trim(), one.slice(0, equals).trim());
      }
      const mark = ((this.state.copies || {})[v.hierarchy] || {})[v.resource];
      const copies = v.nodes.map((node) => {
        const facts = this.facts(node, v.hierarchy, v.resource) || {};
        const copy = {
          node,
          role: facts.role || '',
          disk: facts.copy || 'not known',
          sizeBytes: Number(facts.sizeBytes) || 0,
          warning: facts.warning || facts.why || '',
          inStep: mark ? mark.upToDate.includes(node) : undefined,
          heard: this.contact(node).tone !== 'bad',
          links: [],
        };
        for (const [key, value] of entries(facts)) {
          if (key.startsWith('link.')) {
            const address = key.slice(5);
            const resync = (facts['resync.' + address] || '').split(' ').map(Number);
            copy.links.push({
              to: nodeOf.get(address) || address,
              state: value,
              behindBytes: Number(facts['behind.' + address]) || 0,
              resync: resync.length >= 3 ? {done: resync[0], total: resync[1], leftMs: resync[2], rate: resync[3] || 0} : null,
            });
          }
        }
        return copy;
      });
      return {name: (v.config.parameters || {}).volume || v.resource, hierarchy: v.hierarchy, resource: v.resource, copies};
    });
  }

  // What nodes tell of a kit's resources, by the members that they name. alone(facts, resource) is the
  // name of one that names none; undefined where nothing is told.
  groupsOf(kit, alone) {
    const groups = new Map();
    for (const r of this.ofKit(kit)) {
      for (const node of r.nodes) {
        const facts = this.facts(node, r.hierarchy, r.resource);
        const own = facts && alone(facts, r);
        if (own !== undefined && own !== null) {
          const members = entries(facts).filter(([k]) => k.startsWith('member.')).map(([k]) => k.slice(7)).sort();
          const key = members.length ? members.join(' ') : own;
          const group = groups.get(key) || {key, members, told: []};
          group.told.push({node, hierarchy: r.hierarchy, resource: r.resource, facts});
          groups.set(key, group);
        }
      }
    }
    return [...groups.values()];
  }

  gtmGroups() {
    return this.groupsOf('gtm', (facts) => facts.member).map((group) => {
      const leads = group.told.find((t) => t.facts.role === 'leader');
      const source = leads || group.told.reduce((a, b) => (Number(b.facts.term) > Number(a.facts.term) ? b : a));
      const list = (prefix) => entries(source.facts).filter(([k]) => k.startsWith(prefix));
      return {
        key: group.key,
        leader: source.facts.leader || '',
        leads: Boolean(leads),
        term: source.facts.term,
        mode: source.facts.mode,
        durability: source.facts.durability,
        committed: source.facts.committed,
        asked: source.node,
        sessions: source.facts.sessions,
        gateways: list('gateway.').map(([, v]) => v),
        nodes: list('node.').map(([k, v]) => ({name: k.slice(5), connected: v === 'connected'})),
        members: (group.members.length ? group.members : [group.key]).map((name) => {
          const own = group.told.find((t) => t.facts.member === name);
          return {...member(name, source.facts), own, trouble: own ? own.facts.trouble || '' : ''};
        }),
      };
    });
  }

  queryGroups() {
    const alone = (facts, r) => (Object.keys(facts).length ? `${r.hierarchy}/${r.resource}` : undefined);
    const heard = (t) => (this.report(t.node, t.hierarchy).resources || {})[t.resource] === 'IN' && this.contact(t.node).tone !== 'bad';
    return this.groupsOf('query', alone).map((group) => {
      const term = (t) => Number(t.facts.term) || 0;
      const serving = group.told.filter((t) => heard(t) && t.facts.leader !== undefined);
      const newest = (list) => list.reduce((a, b) => (term(b) > term(a) ? b : a));
      const source = newest(serving.length ? serving : group.told);
      const facts = source.facts;
      return {
        key: group.key,
        serves: serving.length > 0,
        asked: source.node,
        leads: facts.leads || '',
        term: facts.term,
        leader: facts.leader || '',
        serversIn: facts.serversIn,
        serversMin: facts.serversMin,
        sessions: facts.sessions,
        adding: facts.adding || '',
        troubles: group.told.filter((t) => t.facts.trouble).map((t) => `${t.facts.name || t.node}: ${t.facts.trouble}`),
        servers: entries(facts).filter(([k]) => k.startsWith('server.')).map(([k, v]) => {
          const [is, version, running, behind, reads] = v.split(' ');
          return {name: k.slice(7), state: is, version, running: Number(running), behind: Number(behind), reads: Number(reads), why: facts['why.' + k.slice(7)] || ''};
        }),
        members: group.members.map((name) => member(name, facts)),
      };
    });
  }

  limitMs(name, node, key) {
    return this.bottomUp(name).reduce((sum, resource) => sum + this.resourceMs(name, node, resource, key, DEFAULT_LIMIT_MS), 0);
  }

  checkMs(name, node, resource) {
    return this.resourceMs(name, node, resource, 'checkMs', DEFAULT_CHECK_MS);
  }

  resourceMs(name, node, resource, key, otherwise) {
    const r = this.config.hierarchies[name].resources[resource];
    return Number({...r.parameters, ...(r.at || {})[node]}[key]) || otherwise;
  }

  leaseOverMs() {
    return Math.floor((this.timing.leaseMs + this.timing.guardMs) * (100 + this.timing.driftPercent) / 100);
  }

  // The verdict of the whole, for the page's head.
  verdict() {
    if (!this.view.leader) {
      return phrase('bad', 'No controller decides', 'a majority is not connected: what runs is taken out of service');
    }
    const names = this.hierarchyNames();
    const states = names.map((name) => this.hierarchy(name));
    const bad = states.filter((s) => s.tone === 'bad').length;
    const warn = states.filter((s) => s.tone === 'warn').length;
    const busy = states.filter((s) => s.tone === 'busy' || s.tone === 'unknown').length;
    if (bad + warn) {
      return phrase(bad ? 'bad' : 'warn', `${bad + warn} of ${names.length} not in service`);
    }
    if (busy) {
      return phrase('busy', `${busy} of ${names.length} on the way`);
    }
    const stopped = states.filter((s) => s.tone === 'hold').length;
    return names.length === 0 ? phrase('off', 'Nothing is protected') : phrase('ok', stopped ? `${names.length - stopped} in service, ${stopped} stopped` : 'All in service');
  }
}
