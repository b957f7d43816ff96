import { isExpanded } from '../../../src/guest/machine-config/machine-config.check';

test.each(['kill $$', 'echo $(HTTP_PROXY)', 'a$$$$b'])('%j is changed by Kubernetes', (text) => {
  expect(isExpanded(text)).toBe(true);
});

test.each([
  'echo $HOME',
  'echo ${HOME}',
  'echo $(hostname -f)',
  'cost: 5$',
  '$6$salt$hash',
  '${late:rancher.token|base64}',
])('%j is left as it is', (text) => {
  expect(isExpanded(text)).toBe(false);
});
