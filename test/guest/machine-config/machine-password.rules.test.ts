import { MACHINE_PASSWORD_RULES } from '../../../src/guest/machine-config/machine-config.rules';
import { brief, judgeOn } from '../../support/judging';

function findings(fields: object): ReturnType<typeof judgeOn> {
  return judgeOn(MACHINE_PASSWORD_RULES, [
    {
      apiVersion: 'rke-machine-config.cattle.io/v1',
      kind: 'HarvesterConfig',
      metadata: { name: 'nc-shop-all', namespace: 'fleet-default' },
      ...fields,
    },
  ]);
}

test('a password of machines in plain text is a warning that does not show it', () => {
  const found = findings({ sshPassword: 'hunter2' });
  expect(brief(found)).toEqual(['warning machine-config/plain-password sshPassword']);
  expect(found[0]).toMatchObject({
    message: 'must not be a secret in plain text: everyone who reads it can log in to each machine',
  });
  expect(JSON.stringify(found)).not.toContain('hunter2');
});

test.each([
  {},
  { sshPassword: '' },
  { sshPassword: null },
  { sshPassword: 1 },
  { sshPassword: '${late:rancher.password}' },
])('%j has no finding', (fields) => {
  expect(findings(fields)).toEqual([]);
});
