import { EngineProgram } from './engine';
import { Problem, problemText, show } from '../../core/problem/problem';
import { toYaml } from '../../core/yaml/yaml-writer';
import { Stage } from '../stage/stages';

/** A config management plugin of Argo CD that decrypts SOPS. */
export interface ArgoCdPluginProps {
  /**
   * Name of the plugin, as an Application names it: `metadata.name` of its ConfigManagementPlugin,
   * and its `spec.version` after a hyphen if it has one, e.g. `sops` or `sops-v1.0`.
   */
  readonly name: string;
  /**
   * Environment variables of the plugin, by their name. The plugin gets each with the prefix
   * `ARGOCD_ENV_`. They are committed in plain text.
   * @default - no variables
   */
  readonly env?: { readonly [name: string]: string };
}

/** What is wrong with a name. */
type NameProblem = Pick<Problem, 'message' | 'fix'>;

/** What an Application reads, and the files that it needs next to the objects of its target. */
interface DecryptedSource {
  /** The fields of `spec.source` that name the tool. */
  readonly source: object;
  /** By their path below the output folder. */
  readonly files: readonly (readonly [file: string, text: string])[];
}

/**
 * @see argoproj/argo-cd:cmpserver/plugin/config.go PluginConfig.Address: the socket of a plugin has
 * this name
 */
const PLUGIN_NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;

/** Of the environment of a process. */
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The generator of a target's Kustomization. */
const GENERATOR = 'secret-generator.yaml';

/**
 * How Argo CD decrypts what SOPS encrypted: it does not by itself, but the tool that you installed
 * with it does.
 *
 * Argo CD keeps the decrypted manifests in its Redis.
 *
 * @example
 * import { ArgoCdDecryption, Delivery, HarvesterApp, SecretDelivery } from 'cdk8s-harvester';
 *
 * const app = new HarvesterApp({
 *   delivery: Delivery.argoCd({
 *     repository: 'https://git.example.com/platform.git',
 *     decryption: ArgoCdDecryption.ksops(),
 *   }),
 *   secrets: SecretDelivery.sops({ recipients: ['age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3'] }),
 * });
 */
export class ArgoCdDecryption {
  /**
   * A config management plugin: it must print all YAML files below the folder of the Application,
   * and decrypt those whose names end with `.sops.yaml`. Throws if a name is not valid.
   */
  public static plugin(props: ArgoCdPluginProps): ArgoCdDecryption {
    const problems = [
      ...problemsOf('name', problemOfPluginName(props.name)),
      ...problemsOf('env', problemOfVariables(Object.keys(props.env ?? {}))),
    ];
    if (problems.length > 0) {
      throw new Error(problems.map(problemText).join('\n'));
    }
    return new ArgoCdDecryption(props);
  }

  /**
   * KSOPS, a plugin of kustomize: the folder of each target contains a `kustomization.yaml` that
   * lists its files, and a generator with those to decrypt. Objects that wait for late values are in
   * none of them: only `apply` writes these.
   */
  public static ksops(): ArgoCdDecryption {
    return new ArgoCdDecryption();
  }

  private constructor(private readonly plugin?: ArgoCdPluginProps) {}

  /** Whether the files of a target must be listed. @internal */
  public get _listsFiles(): boolean {
    return this.plugin === undefined;
  }

  /** @internal */
  public _sourceOf(target: string, program: EngineProgram): DecryptedSource {
    if (this.plugin === undefined) {
      // Argo CD finds the tool by the file @see argoproj/argo-cd:util/app/discovery/discovery.go
      return { source: {}, files: kustomization(target, program) };
    }
    const { name, env = {} } = this.plugin;
    const variables = Object.entries(env).map(([key, value]) => ({ name: key, value }));
    return {
      source: { plugin: { name, ...(variables.length > 0 ? { env: variables } : {}) } },
      files: [],
    };
  }
}

/** What is wrong with the name of a plugin. */
export function problemOfPluginName(name: string): NameProblem | undefined {
  if (PLUGIN_NAME.test(name)) {
    return undefined;
  }
  return {
    message: `must be the name of a plugin: lowercase letters, digits, hyphens, and dots, got ${show(name)}`,
    fix: 'set metadata.name of its ConfigManagementPlugin, with -<spec.version> if it has a version',
  };
}

function problemOfVariables(names: readonly string[]): NameProblem | undefined {
  const wrong = names.filter((name) => !VARIABLE_NAME.test(name));
  if (wrong.length === 0) {
    return undefined;
  }
  return {
    message: `must have names of environment variables as keys, got ${wrong.map(show).join(', ')}`,
    fix: 'use letters, digits, and underscores, e.g. SOPS_AGE_KEY_FILE',
  };
}

function problemsOf(prop: string, problem: NameProblem | undefined): Problem[] {
  return problem === undefined ? [] : [{ path: `ArgoCdDecryption.plugin: ${prop}`, ...problem }];
}

/**
 * What kustomize reads in the folder of a target: the files of all stages, with a generator for
 * those that KSOPS decrypts.
 * @see viaduct-ai/kustomize-sops:README.md
 */
function kustomization(target: string, program: EngineProgram): DecryptedSource['files'] {
  const { encrypted, plain } = filesOf(target, program);
  const list = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    ...(plain.length > 0 ? { resources: plain } : {}),
    ...(encrypted.length > 0 ? { generators: [GENERATOR] } : {}),
  };
  const generator = {
    apiVersion: 'viaduct.ai/v1',
    kind: 'ksops',
    metadata: {
      name: 'secrets',
      annotations: { 'config.kubernetes.io/function': 'exec:\n  path: ksops\n' },
    },
    files: encrypted.map((file) => `./${file}`),
  };
  return [
    [`${target}/kustomization.yaml`, toYaml(list)],
    ...(encrypted.length > 0 ? [[`${target}/${GENERATOR}`, toYaml(generator)] as const] : []),
  ];
}

/** The files of a target, as paths in its folder. */
function filesOf(
  target: string,
  { stages, fileOf, hiding }: EngineProgram,
): { readonly encrypted: readonly string[]; readonly plain: readonly string[] } {
  const ids = stages.flatMap((stage: Stage) => (stage.target === target ? stage.objects : []));
  const inFiles = ids.filter((id) => fileOf(id) !== undefined);
  const pathsOf = (own: readonly string[]): string[] =>
    [...new Set(own.map((id) => fileOf(id)!.slice(target.length + 1)))].sort();
  const isEncrypted = (id: string): boolean =>
    hiding !== undefined && hiding.ownFiles.has(id) && hiding.decryption.has(id);
  return {
    encrypted: pathsOf(inFiles.filter(isEncrypted)),
    plain: pathsOf(inFiles.filter((id) => !isEncrypted(id))),
  };
}
