import { Manifest } from '../../../src/core/manifest/manifest';
import { oneLine } from '../../../src/core/problem/problem';
import { NAMED_SECRET_RULES } from '../../../src/rancher/credential/named-secrets.rules';
import { credential, guest } from '../../support/guest';
import { judgeOn } from '../../support/judging';

/** A credential as a server shows it. */
function live(metadata: object = {}): Manifest {
  const secret = credential();
  return {
    ...secret,
    metadata: { ...secret.metadata, uid: 'u1', resourceVersion: '7', ...metadata },
  };
}

const told = (manifests: readonly Manifest[], there: readonly Manifest[]): string[] =>
  judgeOn(NAMED_SECRET_RULES, manifests, { version: '2.15.0', live: there }).map(oneLine);

test('names who wrote a live credential that the files do not declare', () => {
  const secret = live({
    annotations: { 'field.cattle.io/creatorId': 'u-mallory' },
    managedFields: [
      { manager: 'rancher', time: '2026-02-01T00:00:00Z' },
      { manager: 'kubectl-create', time: '2026-01-01T00:00:00Z' },
    ],
  });
  expect(told([guest()], [secret])).toEqual([
    'spec.cloudCredentialSecretName: names the live Secret cattle-global-data/cc-dc1, which these files do not declare: created by u-mallory ' +
      '(field.cattle.io/creatorId); written by kubectl-create, rancher. The user who wrote it decides on which Harvester Rancher creates the machines, and with which ' +
      'account. Fix: find out who wrote it; declare it, or accept it with --accept-existing in apply',
  ]);
});

test('reports how to read the writers where the file does not show them', () => {
  const secret = live({ annotations: {} });
  expect(told([guest()], [secret])).toEqual([
    expect.stringContaining('not declare: read it with --show-managed-fields'),
  ]);
});

test.each<[string, readonly Manifest[], readonly Manifest[]]>([
  ['is declared', [guest(), credential()], [live()]],
  ['is not there', [guest()], []],
  ['is another one', [guest()], [live({ name: 'cc-other' })]],
])('reports no credential that %s', (_, manifests, there) => {
  expect(told(manifests, there)).toEqual([]);
});
