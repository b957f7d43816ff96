import { join } from 'path';
import { foundIn, tenants } from './_tenants';
import { chosenPlatform } from '../../../src/report/graph/choose-parts';
import { layoutOf } from '../../../src/report/graph/layout';
import { findPlatform } from '../../../src/report/graph/page/graph-report';
import { nounOf, placeOf, pluralOf } from '../../../src/report/graph/part-nouns';
import { pictureOf } from '../../../src/report/graph/picture';
import { NO_NOTES, Platform, platformOf } from '../../../src/report/graph/platform';
import { COMMITTED_OUTPUTS } from '../../support/committed-outputs';
import '../../../src/registry/register';

const STACK = join(__dirname, '..', '..', '..', 'examples', 'reference-stack', 'dist');

const { platform: stack } = findPlatform(STACK, {});
const partOf = ({ parts }: Platform, name: string) =>
  parts.find((part) => `${part.noun} ${part.name}` === name)!;
const namesOf = ({ parts }: Platform, ids: readonly string[]): string[] =>
  ids.map((id) => parts.find((part) => part.id === id)!).map(({ noun, name }) => `${noun} ${name}`);

describe('the parts of a platform', () => {
  test('are the objects that people know, with what their constructs write besides', () => {
    expect(stack.parts.map(({ cluster, noun, name }) => `${cluster}: ${noun} ${name}`)).toEqual([
      'dc1: service account rancher-node-driver',
      'dc1: VM network prod',
      'dc1: IP pool shop-addresses',
      'dc1: image ubuntu-24.04',
      'rancher: imported cluster dc1',
      'dc1: setting cluster-registration-url',
      'rancher: project payments',
      'dc1: namespace payments-vms',
      'dc1: service account shop',
      'rancher: cloud credential cc-dc1',
      'rancher: guest cluster shop',
      'shop: load balancer web',
    ]);
    const { objects } = partOf(stack, 'guest cluster shop');
    expect(objects).toEqual([
      'Cluster fleet-default/shop',
      'HarvesterConfig fleet-default/nc-shop-all',
      'Secret fleet-default/harvesterconfig-shop',
    ]);
    expect(stack.parts.flatMap((part) => part.objects)).toHaveLength(26);
  });

  test('depend on each other as an apply orders them, and by pools of addresses', () => {
    const guest = partOf(stack, 'guest cluster shop');
    expect(namesOf(stack, guest.dependsOn).sort()).toEqual([
      'VM network prod',
      'cloud credential cc-dc1',
      'image ubuntu-24.04',
      'imported cluster dc1',
      'namespace payments-vms',
      'service account shop',
    ]);
    const web = partOf(stack, 'load balancer web');
    expect(namesOf(stack, web.dependsOn)).toEqual(['guest cluster shop', 'IP pool shop-addresses']);
  });

  test('have late values by what they are, machines, and addresses', () => {
    expect(partOf(stack, 'guest cluster shop')).toMatchObject({
      late: ['kubeconfig of ServiceAccount payments-vms/shop'],
      facts: ['all: 3 machines'],
      problems: [],
    });
    expect(partOf(stack, 'IP pool shop-addresses').facts).toEqual([
      '10.10.100.200-10.10.100.219',
      '19 of 20 addresses are free',
    ]);
    expect(partOf(stack, 'load balancer web').facts).toEqual(['443/TCP', 'pool shop-addresses']);
  });

  test('are named by their construct where their kind has no word', () => {
    const { platform } = findPlatform(join(STACK, '..', '..', 'platform-day-one', 'dist'), {});
    expect(partOf(platform, 'ClusterFlow all-logs')).toMatchObject({
      construct: 'dc1/all-logs',
      objects: ['ClusterFlow cattle-logging-system/all'],
    });
  });

  test('have what reports say of any of their objects', () => {
    const output = tenants(1);
    const id = 'rancher/management.cattle.io/Project/c-dc0/team-0';
    const { parts } = platformOf(output, {
      ...NO_NOTES,
      problems: new Map([[id, ['limitsCpu: 24 of 13 are needed']]]),
    });
    expect(parts.filter(({ problems }) => problems.length > 0)).toMatchObject([
      { id, problems: ['limitsCpu: 24 of 13 are needed'] },
    ]);
  });

  test.each(Object.entries(COMMITTED_OUTPUTS))('of %s contain each object once', (_, folder) => {
    const { platform, world } = findPlatform(folder, {});
    expect(platform.parts.flatMap(({ objects }) => objects)).toHaveLength(world.judged.length);
    expect(new Set(platform.parts.map(({ id }) => id)).size).toBe(platform.parts.length);
  });
});

describe('a chosen part', () => {
  test.each([
    ['the path of a construct', 'rancher/payments'],
    ['a name', 'payments'],
    ['what it is, and its name', 'project payments'],
    ['an object', 'Project c-m-juop4lu7/payments'],
    ['the ID of an object', 'rancher/management.cattle.io/Project/c-m-juop4lu7/payments'],
  ])('is found by %s, with what is around it', (_, wanted) => {
    const { parts, clusters } = chosenPlatform(stack, wanted);
    expect(parts.map(({ name, isAround = false }) => [name, isAround])).toEqual([
      ['dc1', true],
      ['payments', false],
      ['payments-vms', true],
    ]);
    expect(clusters.map(({ name }) => name)).toEqual(['rancher', 'dc1']);
    expect(parts[2]!.dependsOn).toEqual([parts[1]!.id]);
  });

  test('can be a cluster', () => {
    const own = chosenPlatform(stack, 'shop').parts.filter(({ isAround }) => !isAround);
    expect(own.map(({ noun }) => noun)).toEqual([
      'service account',
      'guest cluster',
      'load balancer',
    ]);
  });

  test.each([
    ['paymnts', 'set it to payments'],
    ['nothing-like-it', 'set it to the path of a construct'],
  ])('that nothing has is an error with a name that exists: %s', (wanted, fix) => {
    expect(() => chosenPlatform(stack, wanted)).toThrow(
      `--of: nothing has the name or the path "${wanted}". Fix: ${fix}`,
    );
  });
});

describe('a picture', () => {
  test('of 500 tenants has few boxes, with counts', () => {
    const { platform } = foundIn(tenants(500));
    expect(platform.clusters).toHaveLength(503);
    expect(platform.parts).toHaveLength(2002);
    const { lanes, lines } = pictureOf(platform);
    expect(lanes.map(({ title, boxes }) => [title, boxes.map(({ noun }) => noun)])).toEqual([
      [
        'Rancher 2.13.8: rancher',
        ['imported cluster', 'imported cluster', '500 projects', '500 guest clusters'],
      ],
      ['Harvester 1.7.2: dc0', ['250 namespaces']],
      ['Harvester 1.7.2: dc1', ['250 namespaces']],
      ['250 guest clusters on dc0: team-0-shop and 249 more', ['250 load balancers']],
      ['250 guest clusters on dc1: team-1-shop and 249 more', ['250 load balancers']],
    ]);
    expect(lines.map(({ from, to }) => `${from.noun} > ${to.noun}`)).toEqual([
      '500 projects > 250 namespaces',
      '500 projects > 250 namespaces',
      '250 namespaces > 500 guest clusters',
      '250 namespaces > 500 guest clusters',
      '500 guest clusters > 250 load balancers',
      '500 guest clusters > 250 load balancers',
    ]);
  });

  test('has no line that others imply, and none against the order', () => {
    const { lines } = pictureOf(stack);
    const pairs = lines.map(({ from, to }) => `${from.name} > ${to.name}`);
    expect(pairs).toContain('shop > web');
    expect(pairs).toContain('payments > payments-vms');
    // by the account of the cloud provider
    expect(pairs).not.toContain('payments-vms > shop-shop');
    expect(pairs).not.toContain('dc1 > shop');
  });

  test('puts each box to the right of what it depends on, and no two in one place', () => {
    for (const platform of [stack, foundIn(tenants(3)).platform, foundIn(tenants(60)).platform]) {
      const { lanes, lines, width, height } = layoutOf(pictureOf(platform));
      const boxes = lanes.flatMap((lane) => lane.boxes);
      const places = new Map(boxes.map((placed) => [placed.box, placed]));
      for (const { from, to } of lines) {
        expect(places.get(from)!.x).toBeLessThan(places.get(to)!.x);
      }
      for (const { x, y, ...size } of boxes) {
        expect(x + size.width).toBeLessThan(width);
        expect(y + size.height).toBeLessThan(height);
        const others = boxes.filter(
          (other) => other.x === x && other.y < y + size.height && other.y + other.height > y,
        );
        expect(others).toHaveLength(1);
      }
    }
  });
});

test.each([
  ['image', 'images'],
  ['chart repository', 'chart repositories'],
  ['storage class', 'storage classes'],
  ['key pair', 'key pairs'],
])('several of %s are %s', (noun, plural) => {
  expect(pluralOf(noun)).toBe(plural);
});

test('only Services with an address, and Secrets with a driver, are parts of their own', () => {
  const service = (type: string) => ({
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } },
    spec: { type },
  });
  expect(nounOf(service('LoadBalancer'))).toBe('load balancer');
  expect(placeOf(service('ClusterIP'))).toBeUndefined();
  expect(placeOf({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } })).toBeUndefined();
});
