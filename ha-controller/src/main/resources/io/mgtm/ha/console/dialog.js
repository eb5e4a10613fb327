// Asks before anything is done, and says what will happen then: to which services, in which order, and
// what stops meanwhile.

import {h, show, state, seconds, countdown} from './dom.js';
import {post, signIn, token, operator} from './server.js';

const box = () => document.getElementById('dialog');

function steps(model, name, from, to) {
  const up = model.bottomUp(name);
  const kits = model.config.hierarchies[name].resources;
  const chain = (order) => h('span', {class: 'chain'}, order.map((r, i) => [i ? ' then ' : '', h('b', {}, r), ` (${kits[r].kit})`]));
  const all = [];
  if (from) {
    const limit = model.limitMs(name, from, 'stopMs');
    all.push(h('li', {}, `On ${from} it is taken out of service from the top: `, chain([...up].reverse()), `. ${out(model, name)} At most ${seconds(limit)}, then the watchdog ends it.`));
  }
  if (from && to) {
    all.push(h('li', {}, `When ${from} has said that all is out, ${to} gets the lease. Should ${from} fall silent meanwhile, ${seconds(model.leaseOverMs())} are waited first.`));
  }
  if (to) {
    const limit = model.limitMs(name, to, 'startMs');
    all.push(h('li', {}, `On ${to} it is brought in service from the bottom: `, chain(up), `. At most ${seconds(limit)}, then it counts as failed there.`));
  }
  return h('ol', {class: 'steps'}, all);
}

// How long the last one took, as events tell.
function out(model, name) {
  const events = (model.events || []).filter((e) => e.subject === name);
  for (let i = events.length - 1; i > 0; i--) {
    if (events[i].what === 'is out of service') {
      const begun = events.slice(0, i).reverse().find((e) => /^(shall (move|be out)|is taken out|loses its lease)/.test(e.what));
      if (begun) {
        return `It took ${seconds(events[i].wall - begun.wall)} the last time.`;
      }
    }
  }
  return 'How long it takes is not known yet.';
}

function stops(model, name, text) {
  return h('p', {class: 'stops'}, h('b', {}, 'What stops: '), `${model.bottomUp(name).reverse().join(', ')} of ${name}. `, text);
}

// Whether a node could have it, in words for the choice.
function choice(model, name, node) {
  const p = model.placement(name);
  if (node === p.node) {
    return {why: 'has it now', off: true};
  }
  if (model.isRetired(node)) {
    return {why: 'is retired', off: true, doubt: true};
  }
  const contact = model.contact(node);
  if (contact.tone === 'bad') {
    return {why: contact.word, tone: 'bad', doubt: true};
  }
  const lacking = model.copies(node, name).filter((c) => !c.usable && !c.unknown);
  if (lacking.length) {
    return {why: lacking.map((c) => `its copy of ${c.resource} is ${c.inStep ? c.copy : 'Outdated'}`).join('; '), tone: 'warn', doubt: true, loss: true};
  }
  const failure = (p.failures || {})[node];
  if (failure) {
    return {why: `failed there: ${failure.resource}: ${failure.detail}`, tone: 'warn'};
  }
  return {why: model.copies(node, name).length ? 'its copies are up to date' : 'can have it', tone: 'ok'};
}

function option(value, label, chosen, c) {
  return h('label', {class: 'choice'},
    h('input', {type: 'radio', name: 'chosen', value, checked: value === chosen, disabled: c.off}),
    h('b', {}, label), c.tone ? state(c.tone, c.why) : h('span', {class: 'quiet'}, c.why));
}

function nodeChoice(model, name, chosen, first) {
  const row = (value, label, c) => option(value, label, chosen, c);
  return h('fieldset', {}, h('legend', {}, 'Where'),
    first ? row('', 'the best node', {why: 'the controller chooses'}) : null,
    model.config.hierarchies[name].nodes.map((node) => row(node, node, choice(model, name, node))));
}

function lossBox(model, name, chosen, accepted) {
  if (!chosen || !choice(model, name, chosen).loss) {
    return null;
  }
  return h('label', {class: 'choice loss', 'data-key': 'loss ' + chosen}, h('input', {type: 'checkbox', name: 'loss', checked: accepted}),
    h('span', {}, h('b', {}, 'Accept the loss: '), `what ${chosen} lacks of the acknowledged writes is gone for good. Without this the move is refused.${model.role === 'operator' ? ' It takes the role administrator.' : ''}`));
}

const PLANS = {
  switchover: (model, name, chosen) => {
    const p = model.placement(name);
    const first = model.config.hierarchies[name].nodes.find((n) => n !== p.node && !choice(model, name, n).doubt) || model.config.hierarchies[name].nodes.find((n) => n !== p.node);
    const to = chosen || first;
    return {
      title: `Switch ${name} over`, go: `Switch over to ${to}`, tone: 'main', path: `/v1/hierarchies/${encodeURIComponent(name)}/switchover`, node: to,
      body: (loss) => ({node: to, acceptLoss: loss}),
      parts: (loss) => [nodeChoice(model, name, to, false), lossBox(model, name, to, loss), h('h3', {}, 'What will happen'), steps(model, name, p.node, to),
        stops(model, name, 'From the first step to the end of the last they serve nobody; connections break, and clients must connect again.')],
    };
  },
  start: (model, name, chosen) => {
    const p = model.placement(name);
    const to = chosen || '';
    const again = p.node && p.stage === 'HELD';
    return {
      title: `Start ${name}`, go: to ? `Start on ${to}` : 'Start', tone: 'main', path: `/v1/hierarchies/${encodeURIComponent(name)}/start`, node: to,
      body: (loss) => ({node: to, acceptLoss: loss}),
      parts: (loss) => [nodeChoice(model, name, to, true), lossBox(model, name, to, loss), h('h3', {}, 'What will happen'),
        h('p', {}, 'Its failures and failovers are forgotten, and the policy counts anew.'),
        steps(model, name, again ? p.node : '', to || 'the node that is chosen'),
        h('p', {class: 'quiet'}, 'No service stops for it.')],
    };
  },
  stop: (model, name) => {
    const p = model.placement(name);
    return {
      title: `Stop ${name}`, go: `Stop ${name}`, tone: 'danger', path: `/v1/hierarchies/${encodeURIComponent(name)}/stop`, body: () => ({}),
      parts: () => [h('h3', {}, 'What will happen'), steps(model, name, p.node, ''), stops(model, name, 'It stays out of service, whatever happens, until somebody starts it.')],
    };
  },
  confirm: (model, name, chosen, now) => {
    const p = model.placement(name);
    const to = p.pending ? p.pending.toward : '';
    const silent = p.node && model.contact(p.node).tone === 'bad';
    return {
      title: `Move ${name} now`, go: `Move to ${to}`, tone: 'main', path: `/v1/hierarchies/${encodeURIComponent(name)}/confirm`, body: () => ({}),
      parts: () => [h('p', {}, `The failover does not wait any longer${left(model, name, now)}.`), h('h3', {}, 'What will happen'),
        silent ? h('p', {}, `${p.node} gets no lease any more. Should it be alive and cut off, its watchdog takes all out; ${seconds(model.leaseOverMs())} after its last lease that is sure.`) : null,
        steps(model, name, silent ? '' : p.node, to),
        stops(model, name, silent ? `They are not heard. What only ${p.node} has is lost where volumes are not synchronous.` : 'What of them still runs serves nobody until the last step has ended.')],
    };
  },
  cancel: (model, name, chosen, now) => ({
    title: `Cancel the failover of ${name}`, go: 'Cancel the failover', tone: 'danger', keep: 'Let it wait', path: `/v1/hierarchies/${encodeURIComponent(name)}/cancel`, body: () => ({}),
    parts: () => [h('p', {}, `It will not move by itself${left(model, name, now)}.`), h('h3', {}, 'What will happen'),
      h('p', {}, `Nothing is started anywhere. ${name} stays out of service until its node is back, or until somebody starts it or switches it over.`)],
  }),
};

PLANS.check = (model, name, chosen) => {
  const {node} = model.placement(name);
  const {resources} = model.config.hierarchies[name];
  const up = model.bottomUp(name);
  const resource = chosen || up[up.length - 1];
  return {
    title: `Check ${resource} of ${name}`, go: 'Check it now', tone: 'main', path: `/v1/hierarchies/${encodeURIComponent(name)}/resources/${encodeURIComponent(resource)}/check`, body: () => ({}),
    told: ({found, detail, tookMs}) => `${resource} of ${name} on ${node} ${found === 'IN' ? 'is healthy' : found === 'UNKNOWN' ? 'has not been checked to the end' : 'HAS FAILED its check'} after ${seconds(tookMs)}${detail ? ': ' + detail : ''}`,
    parts: () => [h('fieldset', {}, h('legend', {}, 'What'), [...up].reverse().map((r) => option(r, r, resource, {why: resources[r].kit}))),
      h('h3', {}, 'What will happen'),
      h('p', {}, `${node} checks ${resource} deeply, as it does by itself now and then, in ${seconds(model.checkMs(name, node, resource))} at most. No service stops for it. What fails, or takes longer, is repaired in place or moved, as after any failed check.`)],
  };
};

PLANS['retire-node'] = (model, node) => {
  const has = model.placedOn(node);
  const goes = (name) => model.config.hierarchies[name].nodes.find((n) => !choice(model, name, n).off && !choice(model, name, n).doubt);
  return {
    title: `Retire ${node}`, go: `Retire ${node}`, tone: 'danger', path: `/v1/nodes/${encodeURIComponent(node)}/retire`, body: () => ({rest: 'STAYS'}),
    parts: () => [h('h3', {}, 'What will happen'),
      has.length ? null : h('p', {}, `${node} has nothing in service, and gets nothing until it is activated.`),
      has.map((name) => (goes(name)
        ? [h('p', {}, h('b', {}, name), ` moves to ${goes(name)}, if that still can have it then.`), steps(model, name, node, goes(name)), stops(model, name, 'Until the last step has ended they serve nobody.')]
        : h('p', {}, h('b', {}, name), ` stays on ${node} until another node can have it; stop it or switch it over first, if it shall not.`))),
      h('p', {class: 'quiet'}, `Once it says retired, its controller and watchdog can be stopped and stay stopped. It goes on voting while its controller runs.`)],
  };
};

PLANS['activate-node'] = (model, node) => ({
  title: `Activate ${node}`, go: `Activate ${node}`, tone: 'main', path: `/v1/nodes/${encodeURIComponent(node)}/activate`, body: () => ({}),
  parts: () => [h('h3', {}, 'What will happen'),
    h('p', {}, `No service stops for it. ${node} may have services again: what waits for a node, and what its policy has go back to a preferred node that is in step.`)],
});

function left(model, name, now) {
  const p = model.placement(name);
  const ms = p.pending ? model.pendingLeftMs(name, now) : Infinity;
  return ms === Infinity ? '' : ` (${countdown(ms)} were left)`;
}

function maintenance(model, scope, name) {
  const on = scope === 'CLUSTER' ? !model.state.clusterMaintenance
    : scope === 'NODE' ? !model.nodeInMaintenance(name) : !(model.state.hierarchyMaintenance || []).includes(name);
  const what = scope === 'CLUSTER' ? 'the whole cluster' : name;
  const touched = scope === 'HIERARCHY' ? [name] : model.hierarchyNames().filter((h1) => scope === 'CLUSTER' || model.config.hierarchies[h1].nodes.includes(name));
  return {
    title: `${on ? 'Begin' : 'End'} maintenance of ${what}`, go: on ? 'Begin maintenance' : 'End maintenance', tone: 'main', path: '/v1/maintenance',
    body: () => ({scope, name: scope === 'CLUSTER' ? '' : name, on}),
    parts: () => [h('h3', {}, 'What will happen'),
      h('p', {}, on
        ? `No service stops. Until maintenance ends, nothing of ${touched.join(', ') || 'it'} is repaired or moved by itself: what fails stays down. A lost majority still takes all out of service.`
        : `No service stops now. What has failed meanwhile (${touched.join(', ') || 'nothing is protected'}) is repaired or moved as its policy says, at once.`)],
  };
}

// Shows a plan; calls done(sentence) after it was decided.
function ask(plan, done) {
  let loss = false;
  let current = plan();
  const dialog = box();
  const draw = (error, busy) => show(dialog, [
    h('form', {}, h('h2', {id: 'dialog-title'}, current.title), current.parts(loss),
      h('p', {class: 'error', role: 'alert'}, error || ''),
      h('div', {class: 'acts'},
        h('button', {type: 'button', value: 'no', autofocus: current.tone === 'danger'}, current.keep || 'Leave it as it is'),
        h('button', {type: 'submit', class: current.tone, disabled: busy, autofocus: current.tone !== 'danger'}, busy ? 'Asking…' : current.go)))]);
  dialog.onchange = (e) => {
    if (e.target.name === 'chosen') {
      loss = false;
      current = plan(e.target.value);
    } else if (e.target.name === 'loss') {
      loss = e.target.checked;
    }
    draw();
  };
  dialog.onclick = (e) => {
    if (e.target.value === 'no' && e.target.tagName === 'BUTTON') {
      dialog.close();
    }
  };
  dialog.onsubmit = async (e) => {
    e.preventDefault();
    draw('', true);
    try {
      const answer = await post(current.path, current.body(loss));
      dialog.close();
      done(current.told ? current.told(answer) : `Decided: ${current.title}${answer.done ? '. ' + answer.done : ''}`);
    } catch (failure) {
      const gone = failure.status === 401 ? ' Sign in first.' : failure.status === 403 ? ' Your role may not do this.' : '';
      draw(`${failure.message}.${gone}`, false);
    }
  };
  dialog.replaceChildren();
  draw();
  dialog.showModal();
}

export function act(what, name, model, done) {
  if (PLANS[what]) {
    ask((chosen) => PLANS[what](model, name, chosen, Date.now()), done);
  } else {
    const scope = {'maintain-cluster': 'CLUSTER', 'maintain-node': 'NODE', 'maintain-hierarchy': 'HIERARCHY'}[what];
    ask(() => maintenance(model, scope, name), done);
  }
}

export function askToken(done) {
  const dialog = box();
  dialog.replaceChildren();
  show(dialog, [h('form', {}, h('h2', {id: 'dialog-title'}, 'Sign in'),
    h('p', {class: 'quiet'}, 'From another machine the controller wants a token. It is kept in this tab until you close it, and goes to this controller alone.'),
    h('label', {class: 'field'}, 'Token', h('input', {name: 'token', type: 'password', autocomplete: 'off', required: true, autofocus: true, spellcheck: 'false'})),
    h('label', {class: 'field'}, 'Your name, as events shall say', h('input', {name: 'who', type: 'text', autocomplete: 'username', maxlength: 60})),
    h('div', {class: 'acts'}, h('button', {type: 'button', value: 'no'}, 'Not now'), h('button', {type: 'submit', class: 'main'}, 'Sign in')))]);
  const form = dialog.querySelector('form');
  form.elements.token.value = token();
  form.elements.who.value = operator();
  dialog.onchange = null;
  dialog.onclick = (e) => {
    if (e.target.value === 'no' && e.target.tagName === 'BUTTON') {
      dialog.close();
    }
  };
  dialog.onsubmit = (e) => {
    e.preventDefault();
    signIn(form.elements.token.value.trim(), form.elements.who.value.trim());
    dialog.close();
    show(dialog, []);
    done();
  };
  dialog.showModal();
}
