import { HarvesterVersion } from '../../../src/harvester/version/harvester-version';
import { ImportImage, ImportImages } from '../../../src/rancher/import/import-images.data';
import {
  FLEET_LINES,
  FLEET_OF_RANCHER,
} from '../../../src/rancher/support-matrix/support-matrix.facts';
import { RancherVersion } from '../../../src/rancher/version/rancher-version';

const images = (version: string) => ImportImages.forRancher(RancherVersion.parse(version));
const named = (version: string, name: string) =>
  images(version).find((image) => image.image === name)!;

test('lists the images of Rancher 2.13.8', () => {
  expect(
    images('2.13.8').map((image) => [image.reference(), image.required, image.confirmed]),
  ).toEqual([
    ['rancher/rancher-agent:v2.13.8', true, true],
    ['rancher/fleet-agent:v0.14.9', false, true],
  ]);
  expect(named('2.13.8', 'rancher/fleet-agent').note).toBeUndefined();
  expect(named('2.13.9', 'rancher/fleet-agent').note).toBe(
    'inferred from the dates of releases; compare rancher-images.txt',
  );
});

test('confirms the version of Fleet that a source names', () => {
  const image = named('2.14.3', 'rancher/fleet-agent');
  expect([image.tag, image.confirmed, image.note]).toEqual(['v0.15.4', true, undefined]);
});

test('adds the image of the charts from 2.16', () => {
  expect(images('2.15.1').map((image) => image.image)).toEqual([
    'rancher/rancher-agent',
    'rancher/fleet-agent',
  ]);
  expect(images('2.16.0-rc1').map((image) => image.image)).toEqual([
    'rancher/rancher-agent',
    'rancher/rancher-assets',
    'rancher/fleet-agent',
  ]);
});

test('prefixes references like Rancher', () => {
  const agent = named('2.13.8', 'rancher/rancher-agent');
  expect(agent.reference('registry.example.com')).toBe(
    'registry.example.com/rancher/rancher-agent:v2.13.8',
  );
  expect(agent.reference('registry.example.com:5000/mirror/')).toBe(
    'registry.example.com:5000/mirror/rancher/rancher-agent:v2.13.8',
  );
  expect(agent.reference('')).toBe('rancher/rancher-agent:v2.13.8');
});

test('accepts a tag', () => {
  const unknown = named('2.10.13', 'rancher/fleet-agent');
  expect([unknown.tag, unknown.confirmed]).toEqual([undefined, false]);
  const image = unknown.withTag('v0.11.8');
  expect([image.reference(), image.confirmed, image.source, image.required]).toEqual([
    'rancher/fleet-agent:v0.11.8',
    true,
    'the program',
    false,
  ]);
});

test('leaves out the images that an ISO contains', () => {
  const missing = (harvester: string, rancher: string) =>
    ImportImages.missingFrom(HarvesterVersion.parse(harvester), RancherVersion.parse(rancher)).map(
      (image) => image.image,
    );
  expect(missing('1.7.2', '2.13.3')).toEqual([]);
  expect(missing('1.7.2', '2.13.8')).toEqual(['rancher/rancher-agent', 'rancher/fleet-agent']);
  expect(missing('1.6.1', '2.12.2')).toEqual(['rancher/rancher-agent']);
  expect(missing('1.9.0', '2.15.0')).toEqual([]);
  expect(missing('1.9.0', '2.15.1')).toEqual(['rancher/rancher-agent', 'rancher/fleet-agent']);
});

test('has one row per version of Rancher, in ascending order, with the Fleet of its line', () => {
  const rows = FLEET_OF_RANCHER.trim()
    .split(/\s+/)
    .map((pair) => pair.split(/[=~]/));
  expect(new Set(rows.map(([rancher]) => rancher)).size).toBe(rows.length);
  const patches = new Map<string, [number, number]>();
  for (const [rancher, fleet] of rows) {
    const minor = RancherVersion.parse(rancher).minor;
    expect([rancher, fleet.split('.').slice(0, 2).join('.')]).toEqual([
      rancher,
      FLEET_LINES[minor],
    ]);
    const [lastRancher, lastFleet] = patches.get(minor) ?? [-1, -1];
    const now: [number, number] = [Number(rancher.split('.')[2]), Number(fleet.split('.')[2])];
    // two releases may have one Fleet
    expect(now[0] > lastRancher && now[1] >= lastFleet).toBe(true);
    patches.set(minor, now);
  }
});

describe('fails', () => {
  test('for an unknown tag', () => {
    expect(() => named('2.10.13', 'rancher/fleet-agent').reference()).toThrow(
      'rancher/fleet-agent: the tag is unknown (a version of Fleet 0.11; compare rancher-images.txt). Fix: set it with withTag',
    );
  });

  test.each([
    'https://registry.example.com',
    'registry example',
    'registry.example.com:port',
    '-x',
    'r/$(id)',
  ])('for the registry prefix %j', (prefix) => {
    expect(() => named('2.13.8', 'rancher/rancher-agent').reference(prefix)).toThrow(
      `registryPrefix: must be a host, optionally with port and path, got ${JSON.stringify(prefix)}`,
    );
  });

  test('for a bad image or tag', () => {
    const props = {
      image: 'rancher/x',
      purpose: '',
      required: false,
      confirmed: false,
      source: '',
    };
    expect(() => new ImportImage({ ...props, image: 'Rancher X' })).toThrow(
      'image: must be a repository without registry and tag, got "Rancher X"',
    );
    expect(() => new ImportImage(props).withTag('a b')).toThrow(
      'tag: must be an image tag, got "a b"',
    );
  });
});
