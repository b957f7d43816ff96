import { masked } from './masked';
import { LiveObject } from '../../../src/engine/cluster/cluster';

const metadata = { name: 'a', namespace: 'b', uid: '1', resourceVersion: '1' };

test('replaces what a server put into a Secret, and keeps what was sent', () => {
  const applied = { apiVersion: 'v1', kind: 'Secret', metadata, data: { sent: 'c2VudA==' } };
  const live = { ...applied, data: { sent: 'c2VudA==', token: 'bWFkZQ==' } } as LiveObject;
  expect(masked(live, applied)).toMatchObject({
    data: { sent: 'c2VudA==', token: Buffer.from('example-credential').toString('base64') },
  });
});

test('replaces tokens and commands in a status', () => {
  const applied = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'ClusterRegistrationToken',
    metadata,
  };
  const status = {
    token: 'made',
    manifestUrl: 'https://rancher.example.com/v3/import/made.yaml',
    phase: 'ok',
    insecureCommand: '',
  };
  expect(masked({ ...applied, status } as LiveObject, applied)).toMatchObject({
    status: {
      token: 'example-credential',
      manifestUrl: 'example-credential',
      phase: 'ok',
      insecureCommand: '',
    },
  });
});
