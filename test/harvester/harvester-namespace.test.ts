import { HarvesterNamespace } from '../../src/harvester/harvester-namespace';
import { messageOf } from '../support/message-of';
import { newApp, newHarvester } from '../support/programs';

test('writes a namespace with labels, annotations and a description', () => {
  const dc1 = newHarvester(newApp());
  const vms = new HarvesterNamespace(dc1, 'vms', {
    labels: { team: 'shop' },
    annotations: { note: 'x' },
    description: 'machines',
  });
  vms.metadata.addLabel('later', 'yes');
  expect(dc1.toJson()).toEqual([
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: 'vms',
        labels: { team: 'shop', later: 'yes' },
        annotations: { 'note': 'x', 'field.cattle.io/description': 'machines' },
      },
    },
  ]);
  expect(vms).toMatchObject({ name: 'vms', target: dc1, harvester: dc1 });
});

test.each([
  [
    'a.b',
    'name: must be an RFC 1123 label, got "a.b". Fix: use at most 63 of a-z, 0-9 and hyphens',
  ],
  ['a_b', 'name: must be a valid object name, got "a_b"'],
])('refuses the name %s, with one problem', (name, message) => {
  const dc1 = newHarvester(newApp());
  const refusals = [
    () => new HarvesterNamespace(dc1, 'new', { name }),
    () => HarvesterNamespace.fromName(dc1, 'existing', { name }),
  ].map(messageOf);
  expect(refusals).toEqual([expect.stringContaining(message), expect.stringContaining(message)]);
  expect(refusals.join('')).not.toContain('\n');
});
