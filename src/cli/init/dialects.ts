import { Choices } from './choices';

/** A text of a template, and the text in its place. */
export type TemplateEdit = readonly [file: string, from: string, to: string];

/** What an engine reads. */
export interface EngineSource {
  readonly repository: string;
  /** The output folder, as a path in the repository. */
  readonly path: string;
  /** What decrypts for Argo CD: a plugin of this name, KSOPS, or nothing. */
  readonly argocdPlugin?: string;
  readonly argocdKsops?: true;
}

/**
 * How the programs of a language differ from its template, which `apply` delivers and which has no
 * secrets.
 */
export interface Dialect {
  /** The file with the properties of the app. */
  readonly deliveryFile: string;
  /** The file that declares the platform. */
  readonly platformFile: string;
  /** What installs the packages. */
  readonly install: readonly string[];
  readonly engine: {
    readonly [delivery in Exclude<Choices['delivery'], 'apply'>]: (source: EngineSource) => string;
  };
  /** Encrypts secrets, and sets the registration token, which is one. */
  readonly sops: (recipients: readonly string[]) => readonly TemplateEdit[];
  /** Imports what decrypts for Argo CD. */
  readonly decryption: TemplateEdit;
}

/** The variable with the registration token, in programs with secrets. */
export const TOKEN_ENV = 'DC1_TOKEN';

/** The engine of the templates, in the words of all languages. */
export const NO_ENGINE = 'Delivery.none()';

/** The languages of `init`. */
export const DIALECTS: { readonly [language in Choices['language']]: Dialect } = {
  typescript: {
    deliveryFile: 'delivery.ts',
    platformFile: 'platform.ts',
    install: ['npm install'],
    engine: {
      flux: ({ path }) => `Delivery.flux({ sourceName: 'platform', path: '${path}' })`,
      argocd: ({ repository, path, argocdPlugin, argocdKsops }) => {
        const plugin =
          argocdPlugin === undefined ? '' : `ArgoCdDecryption.plugin({ name: '${argocdPlugin}' })`;
        const decryption = argocdKsops ? 'ArgoCdDecryption.ksops()' : plugin;
        const props = [
          `repository: '${repository}'`,
          "revision: 'main'",
          `path: '${path}'`,
          ...(decryption === '' ? [] : [`decryption: ${decryption}`]),
        ];
        return `Delivery.argoCd({ ${props.join(', ')} })`;
      },
      fleet: ({ repository, path }) =>
        `Delivery.fleet({ repository: '${repository}', branch: 'main', path: '${path}' })`,
    },
    decryption: ['delivery.ts', 'import { Delivery, ', 'import { ArgoCdDecryption, Delivery, '],
    sops: (recipients) => [
      ['delivery.ts', 'import { Delivery, ', 'import { Delivery, SecretDelivery, '],
      [
        'delivery.ts',
        '\n};\n',
        `\n  secrets: SecretDelivery.sops({ recipients: [${recipients.map((recipient) => `'${recipient}'`).join(', ')}] }),\n};\n`,
      ],
      [
        'platform.ts',
        '  RancherChart,\n  TenantProject,\n',
        '  RancherChart,\n  SecretValue,\n  TenantProject,\n  TokenSource,\n',
      ],
      [
        'platform.ts',
        '{ harvester: dc1 }',
        `{\n    harvester: dc1,\n    registrationToken: TokenSource.value(SecretValue.fromEnv('${TOKEN_ENV}')),\n  }`,
      ],
    ],
  },
  python: {
    deliveryFile: 'delivery.py',
    platformFile: 'clusters.py',
    install: [
      'npm install',
      'python3 -m venv .venv && . .venv/bin/activate && pip install -r requirements.txt',
    ],
    engine: {
      flux: ({ path }) => `Delivery.flux(source_name="platform", path="${path}")`,
      argocd: ({ repository, path, argocdPlugin, argocdKsops }) => {
        const plugin =
          argocdPlugin === undefined ? '' : `ArgoCdDecryption.plugin(name="${argocdPlugin}")`;
        const decryption = argocdKsops ? 'ArgoCdDecryption.ksops()' : plugin;
        const props = [
          `repository="${repository}"`,
          'revision="main"',
          `path="${path}"`,
          ...(decryption === '' ? [] : [`decryption=${decryption}`]),
        ];
        return `Delivery.argo_cd(${props.join(', ')})`;
      },
      fleet: ({ repository, path }) =>
        `Delivery.fleet(repository="${repository}", branch="main", path="${path}")`,
    },
    decryption: ['delivery.py', 'import Delivery, ', 'import ArgoCdDecryption, Delivery, '],
    sops: (recipients) => [
      ['delivery.py', 'import Delivery\n', 'import Delivery, SecretDelivery\n'],
      [
        'delivery.py',
        '\n}\n',
        `\n    "secrets": SecretDelivery.sops(recipients=[${recipients.map((recipient) => `"${recipient}"`).join(', ')}]),\n}\n`,
      ],
      [
        'clusters.py',
        '    RancherChart,\n    TenantNamespaceProps,\n    TenantProject,\n',
        '    RancherChart,\n    SecretValue,\n    TenantNamespaceProps,\n    TenantProject,\n    TokenSource,\n',
      ],
      [
        'clusters.py',
        'harvester=dc1)',
        `harvester=dc1, registration_token=TokenSource.value(SecretValue.from_env("${TOKEN_ENV}")))`,
      ],
    ],
  },
};
