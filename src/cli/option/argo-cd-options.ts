import { Option } from 'commander';

/** What decrypts SOPS for Argo CD, of commands that write for it; one of both. */
export function argoCdPluginOption(): Option {
  return new Option(
    '--argocd-plugin <name>',
    'let this config management plugin of Argo CD decrypt the files of SOPS',
  ).conflicts('argocdKsops');
}

/** The other one. */
export function argoCdKsopsOption(): Option {
  return new Option(
    '--argocd-ksops',
    'let KSOPS decrypt the files of SOPS for Argo CD, which lists them for kustomize',
  );
}
