import { ApiObject } from 'cdk8s';
import { apply } from '../../../src/commands';
import { Manifest } from '../../../src/core/manifest/manifest';
import { LateSource, LateType, LateValue } from '../../../src/core/value/late-value';
import { refOf } from '../../../src/engine/cluster/cluster';
import { PlanStep } from '../../../src/engine/plan/plan';
import { RunSummary } from '../../../src/engine/run/context/events';
import { CustomCluster } from '../../../src/guest/custom/custom-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { S3Credential } from '../../../src/rancher/credential/s3-credential';
import { GLOBAL_DATA } from '../../../src/rancher/credential/secret.kind';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { Attacked, DeclareMore } from '../attack/attackers';

const RBAC = 'rbac.authorization.k8s.io';
const HOLD = 'example.com/hold';

describe('what an attacker changes between two applies', () => {
  let attacked: Attacked;

  const secretOf = (name: string, namespace: string, value: string): Manifest => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: attacked.lab.name(name), namespace },
    ...{ type: 'Opaque', stringData: { token: value } },
  });
  const credential = (key: string): Manifest => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: attacked.lab.name('snapshots'),
      namespace: GLOBAL_DATA,
      annotations: { 'provisioning.cattle.io/driver': 's3' },
    },
    ...{
      type: 'provisioning.cattle.io/cloud-credential',
      stringData: {
        's3credentialConfig-accessKey': key,
        's3credentialConfig-secretKey': 'example',
        's3credentialConfig-defaultBucket': 'backups',
        's3credentialConfig-defaultEndpoint': 's3.example.invalid',
      },
    },
  });
  const credentialId = (): string =>
    `rancher//Secret/${GLOBAL_DATA}/${attacked.lab.name('snapshots')}`;
  const project = (name: string): Manifest => ({
    apiVersion: 'management.cattle.io/v3',
    kind: 'Project',
    metadata: { name: attacked.lab.name(name), namespace: attacked.clusterId },
    ...{ spec: { clusterName: attacked.clusterId, displayName: attacked.lab.name('shown') } },
  });

  /** What the tenant of the platform can change, each in a way of its own. */
  const platform: DeclareMore = ({ rancher }, { namespace, cluster, users }) => {
    const { lab } = attacked;
    const metadata = (name: string) => ({ name: lab.name(name), namespace: attacked.namespace });
    const objects = {
      binding: {
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        metadata: metadata('binding'),
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: attacked.namespace }],
      },
      settings: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: metadata('settings'),
        data: { level: 'info' },
      },
    };
    for (const [id, object] of Object.entries(objects)) {
      new ApiObject(rancher, id, object).addDependency(namespace);
    }
    const token = new LateValue(rancher, 'token', {
      description: 'token of the tenant',
      type: LateType.TOKEN,
      sensitive: true,
      source: LateSource.secretKey('token', {
        target: rancher,
        ...refOf(secretOf('tenant', attacked.namespace, '')),
      }),
    });
    new ApiObject(rancher, 'copy', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('copy'),
      stringData: { token: token.token },
    }).addDependency(namespace);
    new CustomCluster(rancher, 'nodes', {
      name: lab.name('nodes'),
      clusterId: ClusterId.fixed(`c-m-${lab.prefix}n`),
      kubernetes: Kubernetes.rke2('v1.34.4+rke2r1'),
      etcd: {
        s3: { credential: S3Credential.fromName(rancher, 's3', { name: lab.name('snapshots') }) },
      },
    });
    TenantProject.fromDisplayName(rancher, 'shown', {
      cluster,
      displayName: lab.name('shown'),
    }).grant(ProjectMember.readOnly(Principal.localUser(users.owner)));
  };
  async function applied(...acceptExisting: readonly string[]): Promise<RunSummary> {
    const { lab, walk } = attacked;
    const dist = walk.synthesize(attacked.platform(platform));
    const options = { config: lab.config, app: walk.app, acceptExisting, timeoutMs: 60_000 };
    return apply(dist, options);
  }

  async function stepOf(name: string): Promise<PlanStep> {
    const steps = await attacked.stepsOf(platform);
    return steps.find(({ id }) => id.endsWith(`/${attacked.lab.name(name)}`))!;
  }

  const live = async (manifest: Manifest) =>
    attacked.lab.server('rancher').cluster.read(refOf(manifest));
  /** @param data without it, who writes this owns no field of it: an empty map is a field of its own */
  const settings = (data?: object): Manifest => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: attacked.lab.name('settings'), namespace: attacked.namespace },
    ...(data ? { data } : {}),
  });

  beforeAll(async () => {
    attacked = await Attacked.open('changes');
    expect(await attacked.commit()).toEqual([]);
    const { cluster } = attacked.lab.server('rancher');
    await attacked.create('owner', secretOf('tenant', attacked.namespace, 'first'));
    await attacked.create('standard', credential('first'));
    await cluster.apply(project('first'), { fieldManager: 'an-administrator' });
    expect((await applied(credentialId())).failed).toEqual([]);
  });
  afterAll(async () => {
    expect((await attacked?.close()) ?? []).toEqual([]);
  });

  test('a RoleBinding that is deleted and created again is refused', async () => {
    const binding: Manifest = {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: attacked.lab.name('binding'), namespace: attacked.namespace },
      ...{
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'User', apiGroup: RBAC, name: attacked.user('standard') }],
      },
    };
    await attacked.delete('owner', refOf(binding));
    await attacked.create('owner', binding);
    expect((await stepOf('binding')).refused).toEqual(expect.stringContaining('--accept-existing'));
    const again = await live(binding);
    await attacked.lab.server('rancher').cluster.delete(refOf(binding), again!.metadata.uid);
    expect((await applied()).failed).toEqual([]);
  });

  test('a declared field is a conflict that names who changed it', async () => {
    await attacked.write('owner', settings({ level: 'debug' }));
    const { failed } = await applied();
    expect(failed.map(({ message }) => message)).toEqual([expect.stringContaining('attacker')]);
    await attacked.write('owner', settings());
    expect((await applied()).failed).toEqual([]);
    expect((await live(settings()))?.data).toEqual({ level: 'info' });
  });

  test('a key that the program does not declare is kept', async () => {
    await attacked.write('owner', settings({ more: 'yes' }));
    expect((await stepOf('settings')).action).toBe('unchanged');
    expect((await applied()).failed).toEqual([]);
    expect((await live(settings()))?.data).toEqual({ level: 'info', more: 'yes' });
  });

  test('another token in the source of a late value is a warning that names who may write it', async () => {
    const tenant = secretOf('tenant', attacked.namespace, 'second');
    await attacked.write('owner', tenant);
    const { warnings = [] } = await stepOf('copy');
    expect(warnings.join('\n')).toContain('token of the tenant');
    expect(warnings.join('\n')).toContain('changed since it was last read');
    expect((await applied()).failed).toEqual([]);
  });

  test('the contents of an accepted Secret are used, and a Secret in its place is refused', async () => {
    await attacked.replace('standard', credential('second'));
    expect((await stepOf('nodes')).refused).toBeUndefined();
    await attacked.delete('standard', refOf(credential('')));
    await attacked.create('standard', credential('third'));
    const { refused } = await stepOf('nodes');
    expect(refused).toEqual(expect.stringContaining(credentialId()));
    expect((await applied(credentialId())).failed).toEqual([]);
  });

  test('a second project of a display name is refused, and another one alone is a warning', async () => {
    await attacked.create('member', project('second'));
    const steps = await attacked.stepsOf(platform);
    const refused = steps.flatMap((step) => step.refused ?? []);
    expect(refused.join('\n')).toContain(attacked.lab.name('second'));
    const first = await live(project('first'));
    await attacked.lab
      .server('rancher')
      .cluster.delete(refOf(project('first')), first!.metadata.uid);
    const warnings = (await attacked.stepsOf(platform)).flatMap((step) => step.warnings ?? []);
    expect(warnings.join('\n')).toContain(attacked.lab.name('second'));
  });

  test('a finalizer of someone else holds one object, and destroy names who set it', async () => {
    const held = settings();
    await attacked.write('owner', {
      ...held,
      metadata: { ...held.metadata, finalizers: [HOLD] } as Manifest['metadata'],
    });
    const wrong = await attacked.walk.destroy();
    expect(wrong.filter((text) => text.includes('failed')).join('\n')).toContain('attacker');
    await attacked.lab
      .server('rancher')
      .cluster.patch(refOf(held), [{ op: 'remove', path: '/metadata/finalizers' }], {
        fieldManager: 'an-administrator',
      });
  });
});
