// Searches the sections of all pages: words.js has them, and lunr.js the index that is made of them
// when a reader first searches. Nothing is asked of a server.
var mgtmSearch = (function () {
  var index = null;

  function made() {
    return lunr(function () {
      this.pipeline.remove(lunr.stemmer);
      this.ref('n');
      this.field('title', { boost: 5 });
      this.field('page', { boost: 2 });
      this.field('text');
      for (var n = 0; n < mgtmSections.length; n++) {
        var section = mgtmSections[n];
        // Who looks for how something is done finds it before why it was decided so.
        var boost = section.url.indexOf('docs/adr/') === 0 ? 0.3 : 1;
        this.add({ n: n, title: section.title, page: section.page, text: section.text }, { boost: boost });
      }
    });
  }

  // The words of a text as the index has them, without those that all pages have.
  function words(text) {
    return lunr.tokenizer(text)
      .map(function (token) { return lunr.trimmer(token).toString(); })
      .filter(function (word) { return word && lunr.stopWordFilter(word); });
  }

  // The sections that have all words, or words that begin so; the best first.
  function find(text) {
    var wanted = words(text);
    if (!wanted.length) return [];
    index = index || made();
    return index.query(function (query) {
      wanted.forEach(function (word) {
        query.term(word, {
          presence: lunr.Query.presence.REQUIRED,
          wildcard: lunr.Query.wildcard.TRAILING,
          usePipeline: false
        });
        query.term(word, { boost: 10, usePipeline: false });
      });
    }).map(function (hit) { return mgtmSections[hit.ref]; });
  }

  return find;
})();

if (typeof document !== 'undefined') {
  (function () {
    var SHOWN = 20;
    var box = document.getElementById('search');
    var found = document.getElementById('found');

    function element(name, text) {
      var made = document.createElement(name);
      made.textContent = text;
      return made;
    }

    // The words around the first one that was looked for.
    function excerpt(text, wanted) {
      var first = wanted.toLowerCase().split(/\s+/)[0];
      var at = Math.max(0, text.toLowerCase().indexOf(first) - 60);
      return (at ? '… ' : '') + text.slice(at, at + 180) + (text.length > at + 180 ? ' …' : '');
    }

    function show() {
      var text = box.value.trim();
      found.textContent = '';
      found.hidden = !text;
      if (!text) return;
      var hits = mgtmSearch(text).slice(0, SHOWN);
      if (!hits.length) found.appendChild(element('p', 'Nothing is said of this.'));
      hits.forEach(function (hit) {
        var link = document.createElement('a');
        link.href = document.body.dataset.root + hit.url;
        link.appendChild(element('b', hit.page === hit.title ? hit.title : hit.page + ': ' + hit.title));
        link.appendChild(element('span', excerpt(hit.text, text)));
        link.addEventListener('click', close);
        found.appendChild(link);
      });
    }

    function close() {
      found.hidden = true;
    }

    box.hidden = false;
    box.addEventListener('input', show);
    document.addEventListener('keydown', function (event) {
      var links = Array.prototype.slice.call(found.querySelectorAll('a'));
      var at = links.indexOf(document.activeElement);
      var inside = document.activeElement === box || at >= 0;
      if (event.key === '/' && document.activeElement !== box) box.focus();
      else if (event.key === 'Escape') { close(); box.focus(); }
      else if (event.key === 'ArrowDown' && inside && links.length) links[Math.min(at + 1, links.length - 1)].focus();
      else if (event.key === 'ArrowUp' && at >= 0) (at ? links[at - 1] : box).focus();
      else if (event.key === 'Enter' && document.activeElement === box && links.length) links[0].click();
      else return;
      event.preventDefault();
    });
  })();
}
