import { Manifest } from '../../../src/core/manifest/manifest';
import { judgePlaced } from '../../support/judging';

const image = (namespace: string, spec: object = {}): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  metadata: { name: 'noble', namespace },
  spec: { displayName: 'noble', ...spec },
});
const findings = (
  images: readonly Manifest[],
  harvesterVersion?: string,
  live: readonly Manifest[] = [],
): string[] =>
  judgePlaced(
    ['image/name-twice'],
    { dc1: images },
    { live: { dc1: live }, versions: { dc1: { harvesterVersion } } },
  );

test('refuses images of one name in two namespaces before Harvester 1.8', () => {
  const text =
    'error image/name-twice noble metadata.name: must be unique in all namespaces, got "noble": an image in default has this name, and both get the StorageClass longhorn-noble, ' +
    'so that volumes of one have the content of the other. Fix: choose a different name, share one image, or upgrade to Harvester 1.8';
  expect(findings([image('default'), image('other')], '1.7.2')).toEqual([text]);
  expect(findings([image('other')], '1.7.2', [image('default')])).toEqual([text]);
});

test.each<[string, Manifest[], string | undefined]>([
  ['from Harvester 1.8 on', [image('default'), image('other')], '1.8.0'],
  ['on an unknown version', [image('default'), image('other')], undefined],
  ['with the backend cdi', [image('default'), image('other', { backend: 'cdi' })], '1.7.2'],
  ['alone', [image('other')], '1.7.2'],
])('accepts images %s', (_, images, version) => {
  expect(findings(images, version)).toEqual([]);
});

describe('the URL of an image', () => {
  const url = (text: string, backend?: string): string[] =>
    judgePlaced(['image/spec'], {
      dc1: [
        image('default', { sourceType: 'download', url: text, ...(backend ? { backend } : {}) }),
      ],
    });

  test.each([
    'https://example.com',
    'https://example.com/noble/',
    'https://example.com/a.tar.gz',
    'https://example.com/a.ova',
    'https://example.com/a.img.xz',
    'https://example.com/a.vmdk?x=1',
  ])('is that of an image: %s', (text) => {
    expect(url(text)).toEqual([
      expect.stringContaining('warning image/spec noble spec.url: must be the URL of'),
    ]);
  });

  test.each([
    'https://example.com/a.img',
    'https://example.com/a.qcow2?x=a.zip',
    'https://example.com/download/7',
  ])('is accepted: %s', (text) => {
    expect(url(text)).toEqual([]);
  });

  test('may be compressed for CDI', () => {
    expect(url('https://example.com/a.img.xz', 'cdi')).toEqual([]);
    expect(url('https://example.com/a.tar.gz', 'cdi')).toHaveLength(1);
  });
});
