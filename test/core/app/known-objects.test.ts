import { readFileSync } from 'fs';
import { join } from 'path';
import Ajv from 'ajv';
import { ApiObject } from 'cdk8s';
import * as library from '../../../src';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { IpPool } from '../../../src/harvester/ip-pool/ip-pool';
import { KeyPair } from '../../../src/harvester/key-pair/key-pair';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { S3Credential } from '../../../src/rancher/credential/s3-credential';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { ClusterMember, ClusterMembers } from '../../../src/rancher/members/members';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { GlobalRole } from '../../../src/rancher/role/global-role';
import { RoleTemplate } from '../../../src/rancher/role/role-template';
import { ProjectMemberRole, GlobalPermission } from '../../../src/rancher/role/roles';
import { LocalUser } from '../../../src/rancher/user/user';
import { runCli } from '../../support/run-cli';
import { tenantWorld } from '../../support/tenants';
import { assemblyOf, written } from '../../support/written';

const findingsOf = (app: ReturnType<typeof tenantWorld>['app']): string[] =>
  assemblyOf(app).findings.map(
    ({ level, rule, object }: any) => `${level} ${rule} ${object?.name}`,
  );

/** A Namespace by hand: what no construct checks. */
function namespaceIn(dc1: HarvesterChart, project: string): ApiObject {
  return new ApiObject(dc1, 'By-Hand', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: 'by-hand',
      annotations: { 'field.cattle.io/projectId': `c-m-harvdc05:${project}` },
    },
  });
}

describe('what fromName refers to', () => {
  test('is there for the rules: a project of any name takes members and namespaces without a finding', async () => {
    const { app, rancher, cluster } = tenantWorld();
    const lab = TenantProject.fromName(rancher, 'lab', { cluster, name: 'lab' });
    lab.addNamespace('lab-vms');
    lab.grant(
      ProjectMember.of(
        Principal.localUser(LocalUser.fromName(rancher, 'eva', { name: 'u-eva' })),
        ProjectMemberRole.template(RoleTemplate.fromName(rancher, 'role', { name: 'of-others' })),
      ),
    );
    app.synth();
    expect(findingsOf(app)).toEqual([]);
    expect(await runCli('lint', app.outdir)).toMatchObject({
      exitCode: 0,
      stdout: '0 errors, 0 warnings\n',
    });
  });

  test('is neither written nor judged, and is listed in the assembly by its name', () => {
    const { app, rancher, dc1, cluster } = tenantWorld();
    TenantProject.fromName(rancher, 'lab', { cluster, name: 'lab' });
    GlobalRole.fromName(rancher, 'g', { name: 'admin' });
    CloudCredential.fromName(rancher, 'c', { name: 'cc-dc1' });
    S3Credential.fromName(rancher, 's', { name: 's3' });
    HarvesterNamespace.fromName(dc1, 'ns', { name: 'harvester-public' });
    VmImage.fromName(dc1, 'image', { name: 'noble' });
    VmNetwork.fromName(dc1, 'net', { name: 'vlan10' });
    KeyPair.fromName(dc1, 'key', { name: 'ops' });
    IpPool.fromName(dc1, 'pool', { name: 'public' });
    const kinds = Object.keys(written(app)).map((key) => key.split('/').slice(0, 2).join('/'));
    expect(
      kinds.every((kind) =>
        [
          'rancher/Namespace',
          'rancher/Cluster',
          'rancher/Secret',
          'rancher/ClusterRegistrationToken',
        ].includes(kind),
      ),
    ).toBe(true);
    const known = assemblyOf(app).known.map(
      ({ target, kind, namespace = '', name }: any) => `${target} ${kind} ${namespace}/${name}`,
    );
    expect(known.sort()).toEqual(
      [
        'dc1 VirtualMachineImage default/noble',
        'dc1 KeyPair default/ops',
        'dc1 NetworkAttachmentDefinition default/vlan10',
        'dc1 IPPool /public',
        'dc1 Namespace /harvester-public',
        'rancher GlobalRole /admin',
        'rancher Project c-m-harvdc05/lab',
        'rancher Secret cattle-global-data/cc-dc1',
        'rancher Secret cattle-global-data/s3',
      ].sort(),
    );
    const validate = new Ajv({ strict: false }).compile(
      JSON.parse(
        readFileSync(join(__dirname, '..', '..', '..', 'schema', 'assembly.v3.json'), 'utf8'),
      ),
    );
    expect([
      validate(JSON.parse(readFileSync(join(app.outdir, 'assembly.json'), 'utf8'))),
      validate.errors,
    ]).toEqual([true, null]);
  });

  // each takes the scope and the ID, and is found by itself: one that is new must be known too
  const factories = Object.entries(library).flatMap(([construct, { fromName } = {} as any]) =>
    typeof fromName === 'function' ? [[construct, fromName] as const] : [],
  );

  test.each(factories)('%s is there for the rules', (_construct, fromName) => {
    const name = 'it';
    const isPositional = /^fromName\(\w+, \w+, name/.test(String(fromName));
    const knownOn = (kind: 'harvester' | 'rancher' | 'guest'): unknown => {
      const { app, rancher, dc1, cluster } = tenantWorld();
      const scope = {
        rancher,
        harvester: dc1,
        guest: new library.GuestChart(app, 'guest', { version: 'v1.33.6+rke2r1' }),
      }[kind];
      fromName(
        scope,
        'there',
        ...(isPositional
          ? [name, 'spaces']
          : [{ cluster, name, namespace: 'spaces', kubernetesVersion: 'v1.33.6+rke2r1' }]),
      );
      app.synth();
      return assemblyOf(app).known;
    };
    let known: unknown;
    try {
      known = knownOn('rancher');
    } catch (error) {
      known = knownOn(
        (error as Error).message.includes('must be in a guest target') ? 'guest' : 'harvester',
      );
    }
    expect(known).toMatchObject([{ name: 'it' }]);
  });

  test('and these are all of them', () => {
    expect(factories.map(([construct]) => construct)).toEqual(
      expect.arrayContaining([
        'HarvesterVolume',
        'VirtualMachine',
        'CloudConfigSecret',
        'RoleTemplate',
      ]),
    );
  });

  test('has no effect on others: a typing error in a name is still an error', () => {
    const { app, rancher, dc1, cluster } = tenantWorld();
    TenantProject.fromName(rancher, 'lab', { cluster, name: 'lab' });
    namespaceIn(dc1, 'labb');
    expect(() => app.synth()).toThrow(
      /tenant-namespace\/unknown-project[\s\S]*must be a declared or live project, got "c-m-harvdc05:labb"/,
    );
  });

  test('makes the others no more suspicious than before', () => {
    const { app, rancher, cluster } = tenantWorld();
    LocalUser.fromName(rancher, 'eva', { name: 'u-eva' });
    new TenantProject(rancher, 'web', {
      cluster,
      members: [ProjectMember.owner(Principal.user('local://u-ana'))],
    });
    app.synth();
    expect(findingsOf(app)).toEqual([]);
  });

  test('has no effect if the same program declares the object, too', () => {
    const { app, dc1, rancher, cluster } = tenantWorld();
    new TenantProject(rancher, 'web', { cluster, tenantNamespaces: [{ name: 'web-vms' }] });
    HarvesterNamespace.fromName(dc1, 'again', { name: 'web-vms' });
    expect(written(app)['dc1/Namespace/web-vms'].metadata.name).toBe('web-vms');
    expect(findingsOf(app)).toEqual([]);
  });
});

test('a cluster that exists by its ID is known, and its projects that the program does not name may be elsewhere', () => {
  const { app, rancher, dc1 } = tenantWorld();
  const other = HarvesterImport.fromClusterId(rancher, 'other', { clusterId: 'c-m-elsewhre' });
  new TenantProject(rancher, 'web', { cluster: other });
  new ClusterMembers(rancher, 'members', {
    cluster: other,
    members: [ClusterMember.owner(Principal.group('okta_group://ops'))],
  });
  new ApiObject(dc1, 'By-Hand', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'by-hand', annotations: { 'field.cattle.io/projectId': 'c-m-elsewhre:lab' } },
  });
  app.synth();
  expect(findingsOf(app)).toEqual(['warning tenant-namespace/unknown-project by-hand']);
});

test('a program without any leaves them out of the assembly', () => {
  const { app, rancher } = tenantWorld();
  new LocalUser(rancher, 'u-ana', { permissions: [GlobalPermission.USER] });
  app.synth();
  expect(assemblyOf(app)).not.toHaveProperty('known');
});

describe('a project that an earlier Rancher made', () => {
  const old = {
    adopted: { backingNamespace: 'orders' },
    members: [ProjectMember.owner(Principal.group('okta_group://ops'))],
  };

  test('is a warning where the program declares it', () => {
    const { app, rancher, cluster } = tenantWorld();
    new TenantProject(rancher, 'orders', { cluster, ...old });
    app.synth();
    expect(assemblyOf(app).findings).toEqual([
      expect.objectContaining({
        level: 'warning',
        rule: 'project-binding/namespace',
        fix: 'use this namespace, or status.backingNamespace of the live Project',
      }),
    ]);
  });

  test('is none where the program only refers to it', () => {
    const { app, rancher, cluster } = tenantWorld();
    TenantProject.fromName(rancher, 'orders', {
      cluster,
      name: 'orders',
      backingNamespace: 'orders',
    }).grant(old.members[0]);
    app.synth();
    expect(findingsOf(app)).toEqual([]);
  });
});
