import { RancherNamespace } from '../../src/rancher/rancher-namespace';
import { newApp, newRancher } from '../support/programs';
import { assemblyOf, written } from '../support/written';

test('writes a Namespace of its ID or name, with labels', () => {
  const app = newApp();
  const rancher = newRancher(app);
  new RancherNamespace(rancher, 'delivery', { labels: { team: 'a' } });
  expect(new RancherNamespace(rancher, 'other', { name: 'flux' }).target).toBe(rancher);
  expect(written(app)['rancher/Namespace/delivery']).toEqual({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'delivery', labels: { team: 'a' } },
  });
  expect(Object.keys(written(app))).toContain('rancher/Namespace/flux');
});

test('refers to an existing one, which is not written', () => {
  const app = newApp();
  expect(RancherNamespace.fromName(newRancher(app), 'flux', { name: 'flux-system' }).name).toBe(
    'flux-system',
  );
  expect(written(app)).toEqual({});
  expect(assemblyOf(app).known).toMatchObject([{ kind: 'Namespace', name: 'flux-system' }]);
});

test('refuses names that are not labels', () => {
  expect(() => new RancherNamespace(newRancher(newApp()), 'A.b')).toThrow(
    'name: must have at most 63 characters of a-z, 0-9 and hyphens (the path of the construct is the default), got "a.b". Fix: use a-z, 0-9 and hyphens, e.g. delivery',
  );
});
