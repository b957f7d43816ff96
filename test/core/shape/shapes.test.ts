import * as fs from 'fs';
import * as path from 'path';
import * as fc from 'fast-check';
import * as YAML from 'yaml';
import { Manifest } from '../../../src/core/manifest/manifest';
import { KIND_SHAPES } from '../../../src/core/shape/all-shapes';
import { Shape } from '../../../src/core/shape/shape';
import { SHAPE_RULES } from '../../../src/core/shape/shapes.rules';
import { Judging, brief, cluster, judgeOn, setting } from '../../support/judging';

const CLUSTER = 'provisioning.cattle.io/v1 Cluster';
const TOKEN = 'management.cattle.io/v3 ClusterRegistrationToken';
const RANCHER_SETTING = 'management.cattle.io/v3 Setting';
const HARVESTER_SETTING = 'harvesterhci.io/v1beta1 Setting';
const CONFIG = 'rke-machine-config.cattle.io/v1 HarvesterConfig';
const CLOUD_INIT = 'node.harvesterhci.io/v1beta1 CloudInit';
const POOL = 'loadbalancer.harvesterhci.io/v1beta1 IPPool';
const BALANCER = 'loadbalancer.harvesterhci.io/v1beta1 LoadBalancer';
const QUOTA = 'harvesterhci.io/v1beta1 ResourceQuota';
const INFRASTRUCTURE = [
  ['harvesterhci.io/v1beta1 VirtualMachineImage', 'harvesterhci.io_virtualmachineimages.yaml'],
  ['harvesterhci.io/v1beta1 KeyPair', 'harvesterhci.io_keypairs.yaml'],
  ['harvesterhci.io/v1beta1 Addon', 'harvesterhci.io_addons.yaml'],
  [POOL, 'loadbalancer.harvesterhci.io_ippools.yaml'],
  [BALANCER, 'loadbalancer.harvesterhci.io_loadbalancers.yaml'],
  [QUOTA, 'harvesterhci.io_resourcequotas.yaml'],
  ...['ClusterNetwork', 'VlanConfig', 'HostNetworkConfig'].map((kind) => [
    `network.harvesterhci.io/v1beta1 ${kind}`, `network.harvesterhci.io_${kind.toLowerCase()}s.yaml`,
  ]),
] as const;
const TENANCY = ['Project', 'ProjectRoleTemplateBinding', 'ClusterRoleTemplateBinding', 'RoleTemplate', 'GlobalRole', 'GlobalRoleBinding', 'User'].map(
  (kind) => [`management.cattle.io/v3 ${kind}`, `management.cattle.io_${kind.toLowerCase()}s.yaml`] as const,
);

function object(what: string, fields: object): Manifest {
  const [apiVersion, kind] = what.split(' ');
  return { apiVersion, kind, metadata: { name: 'one', namespace: 'fleet-default' }, ...fields };
}

function found(manifest: Manifest, judging?: Judging): string[] {
  return brief(judgeOn(SHAPE_RULES, [manifest], judging));
}

function inRke(rkeConfig: object): object {
  return { spec: { rkeConfig } };
}

/** A value at a dotted path. */
function at(dotted: string, value: unknown): object {
  return dotted.split('.').reduceRight((inner, key) => ({ [key]: inner }), value) as object;
}

const AUTOSCALED = inRke({ machinePools: [{ autoscalingMinSize: '1' }] });
const LATER = inRke({ etcd: { s3: { retention: 'x' } }, machinePools: [{ userdata: { inlineUserdata: 1 } }] });

describe('types', () => {
  test.each<[string, string, unknown]>([
    [CLUSTER, 'spec', 'x'],
    [CLUSTER, 'spec', []],
    [CLUSTER, 'spec.rkeConfig', 'x'],
    [CLUSTER, 'spec.rkeConfig.machinePools', { a: 1 }],
    [CLUSTER, 'spec.rkeConfig.upgradeStrategy.controlPlaneConcurrency', 1],
    [CLUSTER, 'spec.rkeConfig.upgradeStrategy.workerDrainOptions.enabled', 'true'],
    [CLUSTER, 'spec.rkeConfig.etcd.snapshotRetention', '5'],
    [CLUSTER, 'spec.rkeConfig.etcd.snapshotRetention', 5.5],
    [CLUSTER, 'spec.rkeConfig.chartValues', 'a: b'],
    [CLUSTER, 'spec.rkeConfig.machineGlobalConfig', []],
    [CLUSTER, 'spec.localClusterAuthEndpoint.enabled', 'true'],
    [CLUSTER, 'spec.enableNetworkPolicy', 0],
    [CLUSTER, 'spec.cloudCredentialSecretName', 5],
    [CLUSTER, 'spec.clusterAgentDeploymentCustomization', []],
    [CLUSTER, 'spec.kubernetesVersion', 1.33],
    [CLUSTER, 'spec.clusterAgentDeploymentCustomization.overrideResourceRequirements.limits.cpu', true],
    [TOKEN, 'spec.ttl', '60'],
    [TOKEN, 'spec.clusterName', 1],
    [RANCHER_SETTING, 'value', 5],
    [RANCHER_SETTING, 'customized', 'true'],
    [HARVESTER_SETTING, 'value', { a: 1 }],
    [CONFIG, 'cpuCount', 4],
    [CONFIG, 'enableEfi', 'true'],
    [CLOUD_INIT, 'spec.matchSelector', []],
    [CLOUD_INIT, 'spec.matchSelector.a', 1],
    // as in the documentation of IPPool
    [POOL, 'spec.selector.scope', { project: 'product', namespace: 'default' }],
    [POOL, 'spec.ranges', { subnet: '10.0.0.0/24' }],
    [POOL, 'spec.selector.priority', '100'],
    [BALANCER, 'spec.backendServerSelector.app', 'web'],
    [BALANCER, 'spec.healthCheck.port', '80'],
    [QUOTA, 'spec.snapshotLimit.namespaceTotalSnapshotSizeQuota', '10Gi'],
  ])('%s: a wrong %s is refused (%j)', (what, dotted, value) => {
    expect(found(object(what, at(dotted, value)))).toEqual([`error object/field-type ${dotted}`]);
  });

  test('the words are those of the server, and never the value', () => {
    const [finding] = judgeOn(SHAPE_RULES, [cluster('a', at('rkeConfig.machinePools', { 'key-secret': 'very-secret' }))]);
    expect(finding.message).toBe(
      'must be a list, it is a map (the server: '
      + '"spec.rkeConfig.machinePools: Invalid value: "object": spec.rkeConfig.machinePools in body must be of type array: "object"")',
    );
    expect(JSON.stringify(finding)).not.toContain('secret');
  });

  test('items of lists and entries of maps are looked at', () => {
    const pools = [{ name: 'a', labels: { ok: 'x', wrong: 1 } }, 5, { quantity: '1', rollingUpdate: { maxSurge: 1, maxUnavailable: false } }];
    expect(found(object(CLUSTER, inRke({ machinePools: pools })))).toEqual([
      'error object/field-type spec.rkeConfig.machinePools[0].labels.wrong',
      'error object/field-type spec.rkeConfig.machinePools[1]',
      'error object/field-type spec.rkeConfig.machinePools[2].quantity',
      'error object/field-type spec.rkeConfig.machinePools[2].rollingUpdate.maxUnavailable',
    ]);
  });

  test('null is no value, late values have no type yet, whole numbers may have a point', () => {
    const late = '${late:a.b}';
    expect(found(object(CLUSTER, { spec: null }))).toEqual([]);
    const pools = [null, { quantity: late, labels: { a: null } }];
    expect(found(object(CLUSTER, inRke({ machinePools: pools, etcd: { snapshotRetention: 5.0 } })))).toEqual([]);
    expect(found(object(TOKEN, { spec: late, status: 5 }))).toEqual([]);
    expect(found(object(CONFIG, { cpuPinning: null, cpuCount: undefined, diskSize: late }))).toEqual([]);
  });

  test('what stays as it was passes an update by kubectl', () => {
    const before = object(TOKEN, { spec: { ttl: '60', gracePeriod: 1 } });
    const after = object(TOKEN, { spec: { ttl: '61', gracePeriod: '1' } });
    expect(found(after, { before: [before] })).toEqual(['error object/field-type spec.gracePeriod', 'warning object/field-type spec.ttl']);
  });
});

describe('unknown fields', () => {
  test.each<[string, object, string[]]>([
    [TOKEN, { spec: { tokenName: 'x' } }, ['spec.tokenName']],
    [RANCHER_SETTING, { spec: { value: 'x' } }, ['spec']],
    [HARVESTER_SETTING, { spec: {}, values: 'x' }, ['spec', 'values']],
    [CONFIG, { spec: {}, cpus: '4' }, ['cpus', 'spec']],
    [CLUSTER, { spec: { foo: 1 } }, ['spec.foo']],
    [CLUSTER, inRke({ machinePools: [{ hostnamePrefix: 'x' }] }), ['spec.rkeConfig.machinePools[0].hostnamePrefix']],
    [CLUSTER, JSON.parse('{"spec":{"__proto__":1,"constructor":{},"toString":[]}}'), ['spec.__proto__', 'spec.constructor', 'spec.toString']],
    [CLOUD_INIT, { spec: { content: 'x' } }, ['spec.content']],
    // as Terraform calls them
    [POOL, { spec: { ranges: [{ subnet: '10.0.0.0/24', start: '10.0.0.5', end: '10.0.0.9' }] } }, ['spec.ranges[0].end', 'spec.ranges[0].start']],
    [BALANCER, { spec: { ippool: 'a', listeners: [{ backend_port: 80 }] } }, ['spec.ippool', 'spec.listeners[0].backend_port']],
  ])('%s: %j', (what, fields, paths) => {
    expect(found(object(what, fields))).toEqual(paths.map((unknown) => `warning object/unknown-field ${unknown}`));
  });

  test('a field that is nearly there is named', () => {
    const [finding] = judgeOn(SHAPE_RULES, [cluster('a', { rkeconfig: {} })]);
    expect(finding.fix).toBe('write rkeConfig');
    expect(finding.message).toContain('strict decoding error: unknown field "spec.rkeconfig"');
  });

  test('free objects have any', () => {
    const free = { a: { b: [1, 'x', null, { c: 1.5 }] } };
    expect(found(object(CLUSTER, inRke({ chartValues: free, machineGlobalConfig: free, machineSelectorConfig: [{ config: free }] })))).toEqual([]);
    expect(found(object(CLUSTER, { ...inRke({ registries: { configs: { 'a:5000': { tlsSecretName: 'x' } } } }), status: free }))).toEqual([]);
  });
});

describe('versions', () => {
  test('before 2.12 a provisioning Cluster is not judged, neither is that of a Harvester', () => {
    const wrong = object(CLUSTER, { spec: 'x', foo: 1 });
    for (const version of ['2.11.9', 'v2.9.0', '2.12.0-rc1']) { expect(found(wrong, { version })).toEqual([]); }
    expect(found(wrong, { kind: 'harvester' })).toEqual([]);
    for (const version of [undefined, '2.12.0', '2.13.8', '2.17.0', 'main']) {
      expect(found(wrong, { version })).toEqual(['error object/field-type spec', 'warning object/unknown-field foo']);
    }
    expect(found(setting('a', 5), { version: '2.11.0' })).toEqual(['error object/field-type value']);
  });

  test('a field that came later is unknown before, and uncertain where the version is not known', () => {
    const sized = 'spec.rkeConfig.machinePools[0].autoscalingMinSize';
    expect(found(object(CLUSTER, AUTOSCALED), { version: '2.12.3' })).toEqual([`warning object/unknown-field ${sized}`]);
    expect(found(object(CLUSTER, AUTOSCALED), { version: '2.13.0' })).toEqual([`error object/field-type ${sized}`]);
    expect(found(object(CLUSTER, AUTOSCALED))).toEqual([`warning object/field-type ${sized}`]);
    const later = ['spec.rkeConfig.etcd.s3.retention', 'spec.rkeConfig.machinePools[0].userdata'];
    expect(found(object(CLUSTER, LATER), { version: '2.13.8' })).toEqual(later.map((field) => `warning object/unknown-field ${field}`));
    expect(found(object(CLUSTER, LATER), { version: '2.14.0' })).toHaveLength(2);
    expect(found(object(CLUSTER, LATER))).toEqual([`warning object/field-type ${later[0]}`, `warning object/field-type ${later[1]}.inlineUserdata`]);
  });

  test('other versions of an API are not judged', () => {
    expect(found(object('provisioning.cattle.io/v2 Cluster', { spec: 'x' }))).toEqual([]);
  });
});

describe('whatever comes', () => {
  test('no JSON makes the rules throw', () => {
    const keys = fc.constantFrom('spec', 'rkeConfig', 'machinePools', 'status', 'value', 'labels', '__proto__', 'registries', 'configs', 'x');
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof({ maxDepth: 6 }, fc.jsonValue(), fc.array(tie('json'), { maxLength: 3 }), fc.dictionary(keys, tie('json'), { maxKeys: 4 })),
    }));
    fc.assert(fc.property(fc.constantFrom(...KIND_SHAPES), json, ({ apiVersion, kind }, value) => {
      found(object(`${apiVersion} ${kind}`, value !== null && typeof value === 'object' && !Array.isArray(value) ? value : { spec: value }));
    }), { numRuns: 500 });
  });

  test('deep values and many items cost little', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) { deep = { spec: [deep] }; }
    const machinePools = Array.from({ length: 5 }, (_, index) => ({ name: `p${index}`, quantity: 1, labels: { a: 'b' } }));
    const one = inRke({ machinePools, chartValues: { deep } });
    const many = Array.from({ length: 5000 }, (_, index) => cluster(`c${index}`, (one as { spec: object }).spec));
    const started = performance.now();
    expect(judgeOn(SHAPE_RULES, many)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

interface Schema {
  readonly 'type'?: string;
  readonly 'format'?: string;
  readonly 'properties'?: { readonly [name: string]: Schema };
  readonly 'items'?: Schema;
  readonly 'additionalProperties'?: Schema | boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** Deeper than this, Kubernetes' own types are theirs. */
const SHALLOW = /\.overrideAffinity\.\w+$/;

/** Where a shape says other than a definition; `has` tells of the versions that the definition has. */
function differences(shape: Shape, schema: Schema, has: (version: string) => boolean, where = ''): string[] {
  // the server takes lists, too, where text has a format, see test/cluster/shapes.test.ts
  const formatted = schema.type === 'string' && schema.format !== undefined;
  if (shape === 'any') { return formatted || /^\.(apiVersion|kind|metadata|status)$/.test(where) ? [] : [`${where}: not covered`]; }
  if (typeof shape === 'string') {
    const type = schema['x-kubernetes-int-or-string'] ? 'int-or-string' : schema.type;
    return type === shape && !formatted ? [] : [`${where}: ${type}${formatted ? ' with a format' : ''}, not ${shape}`];
  }
  switch (shape.of) {
    case 'since': return differences(shape.shape, schema, has, where);
    case 'list': return schema.type === 'array' ? differences(shape.item, schema.items!, has, `${where}[]`) : [`${where}: ${schema.type}, not array`];
    case 'map': {
      if (schema.type !== 'object') { return [`${where}: ${schema.type}, not object`]; }
      if (shape.value === 'any') { return schema['x-kubernetes-preserve-unknown-fields'] || SHALLOW.test(where) ? [] : [`${where}: not free`]; }
      return differences(shape.value, schema.additionalProperties as Schema, has, `${where}{}`);
    }
    case 'fields': {
      if (schema.type !== 'object' || schema['x-kubernetes-preserve-unknown-fields']) { return [`${where}: not an object of fixed fields`]; }
      const properties = schema.properties ?? {};
      const missing = Object.keys(properties).filter((name) => !(name in shape.fields)).map((name) => `${where}.${name}: not in the shape`);
      return [...missing, ...Object.entries(shape.fields).flatMap(([name, field]) => {
        const below = `${where}.${name}`;
        const early = typeof field === 'object' && field.of === 'since' && !has(field.version);
        if (early) { return properties[name] ? [`${below}: there already`] : []; }
        if (properties[name]) { return differences(field, properties[name], has, below); }
        // what each object has need not be in a definition, and Rancher's drop the status of some
        return where === '' && field === 'any' ? [] : [`${below}: not in the definition`];
      })];
    }
  }
}

describe('the definitions of real servers', () => {
  const folder = process.env.HARVESTER_CRDS ?? path.resolve(__dirname, '..', '..', '..', '..', 'shared', 'crds');
  const live = (version: string) => version <= '2.13.8';

  test.each<[string, string, (version: string) => boolean]>([
    [CLUSTER, 'rancher-live-2.13.8/provisioning.cattle.io_clusters.yaml', live],
    // the branch that becomes a later version
    [CLUSTER, 'rancher/provisioning.cattle.io_clusters.yaml', () => true],
    [TOKEN, 'rancher-live-2.13.8/management.cattle.io_clusterregistrationtokens.yaml', live],
    [RANCHER_SETTING, 'rancher-live-2.13.8/management.cattle.io_settings.yaml', live],
    [CONFIG, 'rancher-live-2.13.8/rke-machine-config.cattle.io_harvesterconfigs.yaml', live],
    [HARVESTER_SETTING, 'harvester/harvesterhci.io_settings.yaml', live],
    [CLOUD_INIT, 'harvester/node.harvesterhci.io_cloudinits.yaml', live],
    ...INFRASTRUCTURE.map(([what, file]) => [what, `harvester/${file}`, live] as [string, string, typeof live]),
    ...TENANCY.flatMap(([what, file]) => [[what, `rancher-live-2.13.8/${file}`, live], [what, `rancher/${file}`, () => true]] as [string, string, typeof live][]),
  ])('say of %s what its shape says: %s', (what, file, has) => {
    if (!fs.existsSync(folder)) {
      if (process.env.CI === 'true') { throw new Error(`${folder}: not found, set HARVESTER_CRDS`); }
      console.warn(`NOT TESTED against real definitions: ${folder} not found, set HARVESTER_CRDS`);
      return;
    }
    const [apiVersion, kind] = what.split(' ');
    const { spec } = YAML.parse(fs.readFileSync(path.join(folder, file), 'utf8'));
    const version = spec.versions.find(({ name }: { name: string }) => `${spec.group}/${name}` === apiVersion);
    const { shape } = KIND_SHAPES.find((each) => each.apiVersion === apiVersion && each.kind === kind)!;
    expect(spec.names.kind).toBe(kind);
    expect(differences(shape, version.schema.openAPIV3Schema, has)).toEqual([]);
  });

  test('are asked about each shape', () => {
    expect(KIND_SHAPES.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`).sort())
      .toEqual([
        CLUSTER, TOKEN, RANCHER_SETTING, CONFIG, HARVESTER_SETTING, CLOUD_INIT, ...[...INFRASTRUCTURE, ...TENANCY].map(([what]) => what),
      ].sort());
  });
});
