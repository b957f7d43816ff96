import { groupOf, kindKey } from '../../../src/core/manifest/manifest';
import { answerOf } from '../../../src/engine/transport/answer';
import { ApiError } from '../../../src/engine/transport/api';
import { withFamilies } from '../../support/recordings';

interface Applied {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What the transport makes of an answer of a server. */
function errorOf(body: unknown, status: number, message: string): ApiError {
  const answer = {
    status,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify({ kind: 'Status', status: 'Failure', message, code: status }),
    warnings: [],
  };
  try {
    answerOf(answer, { method: 'PATCH', path: '/x', body }, 'rancher', (words) => words);
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('reported no error');
}

const PROJECT = { apiVersion: 'management.cattle.io/v3', kind: 'Project' };
const SETTING = { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting' };
const NETWORK = { apiVersion: 'network.harvesterhci.io/v1beta1', kind: 'ClusterNetwork' };
const NOT_FOUND =
  'admission webhook "rancher.cattle.io.projects.management.cattle.io" denied the request: ' +
  'project.spec.clusterName: Invalid value: "c-m-bnw2v2n4": cluster not found';

test('knows every answer of the recordings that heals by itself, and no other', () => {
  const found = new Set<string>();
  for (const { objects } of withFamilies()) {
    for (const { applied, answers, again, third } of objects) {
      for (const answer of [...answers, again, third]) {
        if (
          !answer ||
          answer.status < 400 ||
          answer.message === 'no such kind here' ||
          /namespaces "[^"]+" not found/.test(answer.message ?? '')
        ) {
          continue;
        }
        const { failure, missing } = errorOf(applied, answer.status, answer.message ?? '');
        found.add(
          `${kindKey(groupOf(applied.apiVersion), applied.kind)} ${answer.status} ${failure}${missing ? ` until ${missing.kind} ${missing.name}` : ''}`,
        );
      }
    }
  }
  expect([...found].sort()).toEqual([
    'harvesterhci.io/Addon 422 invalid',
    'harvesterhci.io/ScheduleVMBackup 422 blocked until harvesterhci.io/Setting backup-target',
    'harvesterhci.io/Setting 422 blocked until /Secret rancher-cluster-config',
    // an apply of the same version again
    'harvesterhci.io/VirtualMachineTemplateVersion 405 invalid',
    'management.cattle.io/Project 400 blocked until provisioning.cattle.io/Cluster c-m-bnw2v2n4',
    'management.cattle.io/Project 400 blocked until provisioning.cattle.io/Cluster c-m-harvdc01',
    'management.cattle.io/ProjectRoleTemplateBinding 400 blocked until management.cattle.io/RoleTemplate vm-backup',
    'management.cattle.io/RoleTemplate 500 blocked until management.cattle.io/RoleTemplate vm-operator',
    // the recording leaves out the causes: another field manager has the field
    'management.cattle.io/Setting 409 precondition',
    'network.harvesterhci.io/ClusterNetwork 500 blocked',
  ]);
});

test.each<[what: string, body: Applied, status: number, message: string, failure: string]>([
  ['a project whose cluster the webhook does not know yet', PROJECT, 400, NOT_FOUND, 'blocked'],
  ['the same words about another kind', { ...PROJECT, kind: 'User' }, 400, NOT_FOUND, 'invalid'],
  ['the same words with another status', PROJECT, 409, NOT_FOUND, 'invalid'],
  [
    'a project whose previous namespace is still being deleted',
    PROJECT,
    500,
    'admission webhook "x" denied the request: failed to create project namespace : namespace c-m-1-a already exists',
    'blocked',
  ],
  [
    'a cluster network whose MTU is not known yet',
    NETWORK,
    500,
    'admission webhook "x" denied the request: Internal error occurred: can\'t update cluster network a because ' +
      'clusternetwork has MTU 1500, but the vlanconfigs b has another MTU 9000',
    'blocked',
  ],
  [
    'a cluster network that is refused for good',
    NETWORK,
    500,
    'admission webhook "x" denied the request: Internal error occurred: can\'t create cluster network a because its name is too long',
    'invalid',
  ],
  [
    'a setting without its snapshot class',
    SETTING,
    422,
    'admission webhook "x" denied the request: volumesnapshotclasses.snapshot.storage.k8s.io "ssd" not found',
    'blocked',
  ],
  [
    'a network that is shared before it is set',
    SETTING,
    422,
    'admission webhook "x" denied the request: storage-network is not set',
    'blocked',
  ],
  [
    'an image without its storage class',
    { apiVersion: 'harvesterhci.io/v1beta1', kind: 'VirtualMachineImage' },
    500,
    'admission webhook "x" denied the request: storageclasses.storage.k8s.io "ssd" not found',
    'blocked',
  ],
  [
    'a webhook that ended the connection',
    NETWORK,
    500,
    'Internal error occurred: failed calling webhook "x": failed to call webhook: Post "https://x": EOF',
    'blocked',
  ],
  [
    'a webhook that does not exist yet',
    NETWORK,
    500,
    'Internal error occurred: failed calling webhook "x": failed to call webhook: Post "https://x": connect: connection refused',
    'blocked',
  ],
])('%s', (_, body, status, message, failure) => {
  expect(errorOf(body, status, message).failure).toBe(failure);
});

test('reports what is missing instead of repeating a whole AdmissionReview', () => {
  const words = `failed calling webhook "x": ${'{"kind":"AdmissionReview"}'.repeat(50)} unable to get roletemplate vm-operator with error not found`;
  const { message } = errorOf(
    { apiVersion: 'management.cattle.io/v3', kind: 'RoleTemplate' },
    500,
    words,
  );
  expect(message).toBe('unable to get roletemplate vm-operator');
});
