import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedTarget, World } from '../../../src/core/rule/rule';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { brief } from '../../support/judging';

const PORTS = [{ port: 80 }];
const RULE = 'error kubernetes/service';

function service(spec: object, name = 'web'): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'shop' },
    spec: { ports: PORTS, ...spec },
  } as Manifest;
}

function found(manifest: Manifest, kubernetesVersion?: string, before: Manifest[] = []): string[] {
  const target: JudgedTarget = {
    name: 'guest',
    kind: 'guest',
    ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }),
  };
  const on = (list: readonly Manifest[]) => list.map((each) => ({ manifest: each, target }));
  return brief(judge(ALL_RULES, new World(on([manifest]), [], on(before))));
}

test.each<[name: string, version: string | undefined, findings: string[]]>([
  ['web-1', 'v1.34.4', []],
  ['1-web', 'v1.34.4', ['error kubernetes/service-name metadata.name']],
  ['1-web', 'v1.35.0', ['error kubernetes/service-name metadata.name']],
  ['1-web', 'v1.36.0', []],
  ['1-web', undefined, ['warning kubernetes/service-name metadata.name']],
  ['web.shop', 'v1.36.0', ['error kubernetes/service-name metadata.name']],
  ['a'.repeat(63), 'v1.34.4', []],
  ['a'.repeat(64), 'v1.34.4', ['error kubernetes/service-name metadata.name']],
  ['Not_Valid', 'v1.34.4', ['error object/name metadata.name']],
])('judges the name of a Service %s on %s', (name, version, findings) => {
  expect(found(service({}, name), version)).toEqual(findings);
});

test('keeps a live Service with a name that only its creation refuses', () => {
  const live = service({}, '1-web');
  expect(found(live, 'v1.34.4', [live])).toEqual([]);
});

const LOCAL = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };

test.each<[what: string, spec: object, findings: string[]]>([
  ['a port of health checks', { ...LOCAL, healthCheckNodePort: 30_100 }, []],
  [
    'a port of health checks past the last port',
    { ...LOCAL, healthCheckNodePort: 70_000 },
    [`${RULE} spec.healthCheckNodePort`],
  ],
  [
    'a port of health checks of a balancer that leads to all nodes',
    { type: 'LoadBalancer', healthCheckNodePort: 30_100 },
    [`${RULE} spec.healthCheckNodePort`],
  ],
  [
    'a port of health checks inside of the cluster',
    { healthCheckNodePort: 30_100 },
    [`${RULE} spec.healthCheckNodePort`],
  ],
  ['a near distribution', { trafficDistribution: 'PreferSameNode' }, []],
  ['another distribution', { trafficDistribution: 'a' }, [`${RULE} spec.trafficDistribution`]],
  [
    'two families under a policy for two',
    { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] },
    [],
  ],
  [
    'two families under a policy for one',
    { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4', 'IPv6'] },
    [`${RULE} spec.ipFamilyPolicy`],
  ],
  [
    'addresses of a name elsewhere',
    { type: 'ExternalName', externalName: 'web.example.com', ipFamilyPolicy: 'SingleStack' },
    [`${RULE} spec.ipFamilyPolicy`],
  ],
])('judges %s', (_, spec, findings) => {
  expect(found(service(spec), 'v1.34.4')).toEqual(findings);
});

test('refuses another port of health checks, and accepts a first one', () => {
  const withPort = (port?: number): Manifest =>
    service({ ...LOCAL, ...(port === undefined ? {} : { healthCheckNodePort: port }) });
  expect(found(withPort(30_200), 'v1.34.4', [withPort(30_100)])).toEqual([
    'error kubernetes/service-update spec.healthCheckNodePort',
  ]);
  expect(found(withPort(30_100), 'v1.34.4', [withPort()])).toEqual([]);
});
