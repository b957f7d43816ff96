import { docsUrl, packageVersion } from '../../../src/core/version/package-version';

const repository = { url: 'https://example.com/library.git' };

test('links to pages of the documentation as the version has them', () => {
  expect(docsUrl('docs/rules.md#vm', { version: '0.1.0', repository })).toBe(
    'https://example.com/library/blob/v0.1.0/docs/rules.md#vm',
  );
  expect(docsUrl('docs/rules.md', { version: '0.0.0', repository })).toBe(
    'https://example.com/library/blob/main/docs/rules.md',
  );
});

test('reads the version of the package itself', () => {
  expect(packageVersion()).toMatch(/^\d+\.\d+\.\d+$/);
});
