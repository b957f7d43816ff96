import { FLUX_NAMESPACE } from './flux';
import { Manifest } from '../../../../src/core/manifest/manifest';

/** A GitRepository; the test is the source-controller, so its URL is never looked at. */
export const REPOSITORY: Manifest = {
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: { name: 'platform', namespace: FLUX_NAMESPACE },
  spec: { interval: '10m', url: 'https://git.example.com/platform.git', ref: { branch: 'main' } },
};

/** A Kustomization of a folder of the repository. */
export function kustomization(name: string, path: string, spec: object = {}): Manifest {
  return {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name, namespace: FLUX_NAMESPACE },
    spec: {
      interval: '10m',
      retryInterval: '2s',
      timeout: '1m',
      prune: true,
      path,
      sourceRef: { kind: 'GitRepository', name: REPOSITORY.metadata.name },
      ...spec,
    },
  };
}
