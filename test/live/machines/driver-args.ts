import { Fields } from '../../../src/core/manifest/manifest';

/** A part of a field name that becomes a part of a flag. */
const HYPHEN = /([a-z0-9])([A-Z])/g;

/** The fields of a HarvesterConfig that are not options of the driver. */
const NO_OPTIONS = ['apiVersion', 'kind', 'metadata', 'status', 'common', 'providerID'];

/**
 * The arguments that Rancher makes of a HarvesterConfig for rancher-machine.
 *
 * @see rancher/rancher:pkg/controllers/capr/machineprovision/args.go toArgs (2.15.0)
 */
export function driverArgs(config: Fields, cluster: string): string[] {
  const args = Object.entries(config)
    .filter(([field]) => !NO_OPTIONS.includes(field))
    .flatMap(([field, value]) => argsOf(flagOf(field), value));
  return [...args, `--harvester-cluster-name=${cluster}`].sort();
}

function flagOf(field: string): string {
  return `--harvester-${field.replace(HYPHEN, '$1-$2').toLowerCase()}`;
}

function argsOf(flag: string, value: unknown): string[] {
  if (typeof value === 'string') {
    return value === '' ? [] : [`${flag}=${value}`];
  }
  if (typeof value === 'number') {
    return [`${flag}=${value}`];
  }
  if (Array.isArray(value)) {
    return value.filter((item) => typeof item === 'string').map((item) => `${flag}=${item}`);
  }
  return value === true ? [flag] : [];
}

/** The environment variables that Rancher makes of a cloud credential. @see rancher/rancher:pkg/controllers/capr/machineprovision/args.go getArgsEnvAndStatus */
export function credentialEnv(kubeconfig: string): { readonly [name: string]: string } {
  return { HARVESTER_KUBECONFIG_CONTENT: kubeconfig };
}

/**
 * An argument of a container as its process gets it.
 *
 * @see kubernetes/kubernetes:third_party/forked/golang/expansion/expand.go
 */
export function expandedArg(arg: string, env: { readonly [name: string]: string }): string {
  return arg.replace(/\$(\$|\(([^)]*)\))/g, (all, what: string, name: string) =>
    what === '$' ? '$' : (env[name] ?? all),
  );
}
