// Pages of a release: links to its tag, and notes from the changelog and the commits.
'use strict';

const REPOSITORY = require('../../package.json').repository.url.replace(/\.git$/, '');

/** Code blocks, whose text is not a link, and the rest between them. */
const CODE = /(^```[^]*?^```)/m;

/**
 * A page with links to the files of a tag instead of those of main. The links of the README are
 * absolute, since registries show it apart from the files. `isFolder` is asked about each link.
 */
function pinned(text, tag, { isReadme, isFolder }) {
  const toTag = text.replaceAll(
    new RegExp(`${REPOSITORY}/(blob|tree|raw)/main/`, 'g'),
    `${REPOSITORY}/$1/${tag}/`,
  );
  if (!isReadme) {
    return toTag;
  }
  return toTag
    .split(CODE)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part.replace(
            /(!?)(\[[^\]]*\]\()(?!https?:|#)([^)\s]+)(\))/g,
            (_, image, before, link, after) => {
              const view = image ? 'raw' : isFolder(link.replace(/#.*/, '')) ? 'tree' : 'blob';
              return `${image}${before}${REPOSITORY}/${view}/${tag}/${link}${after}`;
            },
          ),
    )
    .join('');
}

/** The notes of a release: its section of the changelog, then its commits. */
function notes(commits, changelog, version) {
  const heading = `## [${version}]`;
  const start = changelog.split('\n').findIndex((line) => line.startsWith(heading));
  if (start < 0) {
    throw new Error(
      `CHANGELOG.md: must have a section ${heading}, the version that the commits give. Fix: rename its section [Unreleased]`,
    );
  }
  const lines = changelog.split('\n').slice(start + 1);
  const end = lines.findIndex((line) => line.startsWith('## '));
  const section = lines
    .slice(0, end < 0 ? undefined : end)
    .join('\n')
    .trim();
  // the first heading is the version with its date
  const [, title, list] = /^\s*(##? [^\n]*)([^]*)$/.exec(commits);
  return `${title}\n\n${section}\n${list.trim() ? `\n## Commits\n\n${list.trim()}\n` : ''}`;
}

module.exports = { notes, pinned, REPOSITORY };
