interface Pages {
  readonly REPOSITORY: string;
  readonly notes: (commits: string, changelog: string, version: string) => string;
  readonly pinned: (text: string, tag: string, options: { readonly isReadme: boolean; readonly isFolder: (file: string) => boolean }) => string;
}

const { REPOSITORY, notes, pinned } = jest.requireActual<Pages>('../projenrc/release/pages.js');
const isFolder = (file: string) => file === 'examples';

test('links the pages of a release to the files of its tag', () => {
  const text = `[one](${REPOSITORY}/tree/main/examples/one), [guide](apply.md#order), [other](https://example.com/tree/main/)`;
  expect(pinned(text, 'v0.1.0', { isReadme: false, isFolder })).toBe(`[one](${REPOSITORY}/tree/v0.1.0/examples/one), [guide](apply.md#order), [other](https://example.com/tree/main/)`);
});

test('makes the links of the README absolute, but for those of its own and for code', () => {
  const code = '```ts\nconst a = [b](docs/apply.md);\n```\n';
  const text = `![plan](docs/plan.svg)\n${code}[apply](docs/apply.md#order), [all](examples), [below](#limits), [other](https://example.com)`;
  expect(pinned(text, 'v0.1.0', { isReadme: true, isFolder })).toBe(`![plan](${REPOSITORY}/raw/v0.1.0/docs/plan.svg)
${code}[apply](${REPOSITORY}/blob/v0.1.0/docs/apply.md#order), [all](${REPOSITORY}/tree/v0.1.0/examples), [below](#limits), [other](https://example.com)`);
});

const CHANGELOG = '# Changelog\n\n## [0.2.0]\n\n### Fixed\n\n- A plan.\n\n## [0.1.0] - 2026-11-23\n\nThe first one.\n';

test('begins the notes of a release with its section of the changelog', () => {
  const commits = '\n## [0.2.0](https://example.com) (2026-12-01)\n\n### Bug Fixes\n\n* plan\n';
  expect(notes(commits, CHANGELOG, '0.2.0')).toBe('## [0.2.0](https://example.com) (2026-12-01)\n\n### Fixed\n\n- A plan.\n\n## Commits\n\n### Bug Fixes\n\n* plan\n');
  expect(notes('\n## 0.1.0 (2026-11-23)\n', CHANGELOG, '0.1.0')).toBe('## 0.1.0 (2026-11-23)\n\nThe first one.\n');
});

test('refuses a release that the changelog does not describe', () => {
  expect(() => notes('## 0.3.0', CHANGELOG, '0.3.0')).toThrow('CHANGELOG.md: must have a section ## [0.3.0]');
});
