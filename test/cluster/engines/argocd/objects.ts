import { ARGO_CD_NAMESPACE } from './argo-cd';
import { Manifest } from '../../../../src/core/manifest/manifest';

/** An Application that delivers a folder of a repository to a cluster by itself. */
export function application(name: string, repoURL: string, path: string, destination: string): Manifest {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: ARGO_CD_NAMESPACE },
    spec: {
      project: 'default',
      source: { repoURL, targetRevision: 'main', path },
      destination: { name: destination },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['ServerSideApply=true', 'PruneLast=true'], retry: { limit: 10, backoff: { duration: '2s', maxDuration: '10s' } } },
    },
  };
}

/** The object with the number of its stage as its wave. */
export function inWave(manifest: Manifest, wave: number): Manifest {
  const annotations = { ...manifest.metadata.annotations, 'argocd.argoproj.io/sync-wave': String(wave) };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}
