import { HarvesterVersion } from '../../../src/harvester/version/harvester-version';
import { ImportImage, ImportImages } from '../../../src/rancher/import/import-images';
import { RancherVersion } from '../../../src/rancher/version/rancher-version';
import { FLEET_LINES, FLEET_OF_RANCHER } from '../../../src/rancher/version/support-matrix.data';

const images = (version: string) => ImportImages.forRancher(RancherVersion.parse(version));
const named = (version: string, name: string) => images(version).find((image) => image.image === name)!;

test('the images of Rancher 2.13.8', () => {
  expect(images('2.13.8').map((image) => [image.reference(), image.required, image.confirmed])).toEqual([
    ['rancher/rancher-agent:v2.13.8', true, true],
    ['rancher/fleet-agent:v0.14.9', false, false],
  ]);
  expect(named('2.13.8', 'rancher/fleet-agent').note).toBe('inferred from the dates of releases; compare rancher-images.txt');
});

test('a Fleet that was read is confirmed', () => {
  const image = named('2.14.3', 'rancher/fleet-agent');
  expect([image.tag, image.confirmed, image.note]).toEqual(['v0.15.4', true, undefined]);
});

test('from 2.16 on the charts have an image of their own', () => {
  expect(images('2.15.1').map((image) => image.image)).toEqual(['rancher/rancher-agent', 'rancher/fleet-agent']);
  expect(images('2.16.0-rc1').map((image) => image.image)).toEqual(['rancher/rancher-agent', 'rancher/rancher-assets', 'rancher/fleet-agent']);
});

test('references are prefixed as Rancher does', () => {
  const agent = named('2.13.8', 'rancher/rancher-agent');
  expect(agent.reference('registry.example.com')).toBe('registry.example.com/rancher/rancher-agent:v2.13.8');
  expect(agent.reference('registry.example.com:5000/mirror/')).toBe('registry.example.com:5000/mirror/rancher/rancher-agent:v2.13.8');
  expect(agent.reference('')).toBe('rancher/rancher-agent:v2.13.8');
});

test('a tag can be given', () => {
  const unknown = named('2.10.7', 'rancher/fleet-agent');
  expect([unknown.tag, unknown.confirmed]).toEqual([undefined, false]);
  const image = unknown.withTag('v0.11.8');
  expect([image.reference(), image.confirmed, image.source, image.required]).toEqual(['rancher/fleet-agent:v0.11.8', true, 'the program', false]);
});

test('what an ISO holds need not be brought', () => {
  const missing = (harvester: string, rancher: string) => ImportImages
    .missingFrom(HarvesterVersion.parse(harvester), RancherVersion.parse(rancher)).map((image) => image.image);
  expect(missing('1.7.2', '2.13.3')).toEqual([]);
  expect(missing('1.7.2', '2.13.8')).toEqual(['rancher/rancher-agent', 'rancher/fleet-agent']);
  expect(missing('1.6.1', '2.12.2')).toEqual(['rancher/rancher-agent']);
  expect(missing('1.9.0', '2.15.1')).toEqual(['rancher/rancher-agent', 'rancher/fleet-agent']);
});

test('the table of Fleet is well formed: one row a version, in its line, rising', () => {
  const rows = FLEET_OF_RANCHER.trim().split(/\s+/).map((pair) => pair.split(/[=~]/));
  expect(new Set(rows.map(([rancher]) => rancher)).size).toBe(rows.length);
  const patches = new Map<string, [number, number]>();
  for (const [rancher, fleet] of rows) {
    const minor = RancherVersion.parse(rancher).minor;
    expect([rancher, fleet.split('.').slice(0, 2).join('.')]).toEqual([rancher, FLEET_LINES[minor]]);
    const [lastRancher, lastFleet] = patches.get(minor) ?? [-1, -1];
    const now: [number, number] = [Number(rancher.split('.')[2]), Number(fleet.split('.')[2])];
    expect(now[0] > lastRancher && now[1] > lastFleet).toBe(true);
    patches.set(minor, now);
  }
});

describe('fails', () => {
  test('an unknown tag', () => {
    expect(() => named('2.10.7', 'rancher/fleet-agent').reference()).toThrow(new Error('rancher/fleet-agent: its tag is not known '
      + '(a version of Fleet 0.11; compare rancher-images.txt), expected one given by withTag; '
      + 'it stands in the file rancher-images.txt of the Rancher release'));
  });

  test.each(['https://registry.example.com', 'registry example', 'registry.example.com:port', '-x', 'r/$(id)'])('registry prefix %j', (prefix) => {
    expect(() => named('2.13.8', 'rancher/rancher-agent').reference(prefix)).toThrow(new Error(`registryPrefix: got ${JSON.stringify(prefix)}, `
      + 'expected a host with a port and a path where needed, such as "registry.example.com:5000"; leave out the scheme'));
  });

  test('a bad image or tag', () => {
    const props = { image: 'rancher/x', purpose: '', required: false, confirmed: false, source: '' };
    expect(() => new ImportImage({ ...props, image: 'Rancher X' }))
      .toThrow(new Error('image: got "Rancher X", expected a repository such as "rancher/rancher-agent"'));
    expect(() => new ImportImage(props).withTag('a b')).toThrow(new Error('tag: got "a b", expected a tag such as "v2.13.8"'));
  });
});
