import { checkServerUrl } from '../../../src/rancher/settings/setting-formats.check';

test('constructs refuse what Rancher drops', () => {
  expect(
    [...checkServerUrl('serverUrl', 'https://rancher.example.com/path')].map(
      ({ level = 'error' }) => level,
    ),
  ).toEqual(['error']);
  expect(
    [...checkServerUrl('serverUrl', 'https://u:p@rancher.example.com')].map(
      ({ level = 'error' }) => level,
    ),
  ).toEqual(['error']);
});
