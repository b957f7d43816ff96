import { readFileSync, statSync } from 'fs';
import { resolve } from 'path';
import { parse } from 'yaml';

/** The products that every scenario runs on. */
export const PRODUCTS = ['rancher', 'harvester'] as const;
export type Product = (typeof PRODUCTS)[number];
/** Those, and a guest cluster, which only some scenarios need. */
export const ALL_PRODUCTS = [...PRODUCTS, 'guest'] as const;
export type LabProduct = (typeof ALL_PRODUCTS)[number];

/** The variables of the environment that name the kubeconfigs of cluster admins. */
export const KUBECONFIG_VARIABLES: { readonly [product in LabProduct]: string } = {
  rancher: 'LIVE_RANCHER_KUBECONFIG',
  harvester: 'LIVE_HARVESTER_KUBECONFIG',
  guest: 'LIVE_GUEST_KUBECONFIG',
};

/** A kubeconfig and its current context. */
export interface KubeconfigFile {
  readonly kubeconfig: string;
  readonly context: string;
}

/**
 * The kubeconfigs that the environment names. Throws one error that names all that cannot be used.
 *
 * @param products those that a scenario needs
 */
export function kubeconfigFiles(
  env: { readonly [name: string]: string | undefined },
  products: readonly LabProduct[] = PRODUCTS,
): ReadonlyMap<LabProduct, KubeconfigFile> {
  const problems: string[] = [];
  const found = new Map<LabProduct, KubeconfigFile>();
  for (const product of products) {
    try {
      found.set(product, kubeconfigFile(KUBECONFIG_VARIABLES[product], env));
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  if (problems.length > 0) {
    throw new Error(
      `the live scenarios did not run:\n${problems.join('\n')}\n` +
        'Fix: set these variables to the kubeconfigs of a lab; test/live/README.md describes how to get one',
    );
  }
  return found;
}

function kubeconfigFile(
  variable: string,
  env: { readonly [name: string]: string | undefined },
): KubeconfigFile {
  const file = env[variable];
  if (!file) {
    throw new Error(`${variable}: must be the path of a kubeconfig, got nothing`);
  }
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new Error(
      `${variable}: must be the path of a kubeconfig, got ${file}, which is not a file`,
    );
  }
  const context = (parse(readFileSync(file, 'utf8')) as Record<string, unknown> | null)?.[
    'current-context'
  ];
  if (typeof context !== 'string' || context === '') {
    throw new Error(`${variable}: ${file} has no current-context. Fix: kubectl config use-context`);
  }
  return { kubeconfig: resolve(file), context };
}
