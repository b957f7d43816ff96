import { kubeconfigFiles } from './lab/kubeconfigs';

/** Fails where a kubeconfig is missing: a scenario that did not run must not look like one that passed. */
export default function globalSetup(): void {
  kubeconfigFiles(process.env);
}
