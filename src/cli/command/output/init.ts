import { resolve } from 'path';
import { Argument, Command, Option } from 'commander';
import { problemText } from '../../../core/problem/problem';
import { BLANK, Block, line, list, toned } from '../../../core/text/screen';
import { ScreenFlags } from '../../../core/text/terminal';
import { packageVersion } from '../../../core/version/package-version';
import { checkChoices, Choices, CI_SYSTEMS, DELIVERIES, LANGUAGES } from '../../init/choices';
import { DIALECTS, TOKEN_ENV } from '../../init/dialects';
import { packageName, prefixIn, projectFiles, writeProject } from '../../init/project-files';
import { argoCdKsopsOption, argoCdPluginOption } from '../../option/argo-cd-options';
import { emit, repeatable, withScreen } from '../../option/output-options';

/** The options of `init` as commander gives them. */
interface InitFlags extends Omit<Choices, 'language' | 'secrets' | 'recipients'>, ScreenFlags {
  readonly sopsRecipient: readonly string[];
}

/** `init`: writes a new project. */
export function initCommand(): Command {
  return withScreen(new Command('init'))
    .description('write a new project: a program, a test, a pipeline, and what delivers the output')
    .addArgument(
      new Argument('[language]', 'language of the program')
        .choices(LANGUAGES)
        .default('typescript'),
    )
    .argument('[folder]', 'folder of the project; files that exist are never overwritten', '.')
    .addOption(
      new Option('--delivery <engine>', 'let this deliver the output')
        .choices(DELIVERIES)
        .default('apply'),
    )
    .option('--repository <url>', 'let the engine clone this Git repository')
    .addOption(repeatable('--sops-recipient <key>', 'encrypt secrets for this public key of age'))
    .addOption(argoCdPluginOption())
    .addOption(argoCdKsopsOption())
    .addOption(
      new Option('--ci <system>', 'write the pipeline for this system')
        .choices(CI_SYSTEMS)
        .default('github'),
    )
    .action(
      (language: Choices['language'], folder: string, { sopsRecipient, ...flags }: InitFlags) => {
        const secrets = sopsRecipient.length > 0 ? 'sops' : 'none';
        const choices: Choices = { ...flags, language, secrets, recipients: sopsRecipient };
        const prefix = prefixIn(folder);
        const problems = [
          ...checkChoices(choices),
          ...(prefix === '' || choices.ci === 'none'
            ? []
            : [
                {
                  path: '--ci',
                  value: choices.ci,
                  message: `must be none in a folder below the top of its Git repository, ${prefix}`,
                  fix: 'set --ci none, or run init in the top folder',
                },
              ]),
        ];
        if (problems.length > 0) {
          throw new Error(problems.map(problemText).join('\n'));
        }
        const files = projectFiles(choices, {
          prefix,
          name: packageName(resolve(folder)),
          version: packageVersion(),
        });
        writeProject(folder, files);
        emit(report(folder, [...files.keys()], choices), flags);
      },
    );
}

function report(folder: string, files: readonly string[], choices: Choices): Block[] {
  return [
    line([toned('title', 'Files'), ...(folder === '.' ? [] : [` in ${folder}`])]),
    list(
      files.map((file) => line(file, 2)),
      'files',
    ),
    BLANK,
    line(toned('title', 'Next')),
    ...nextSteps(folder, choices),
  ];
}

/** The file with the secrets of a program, which sops encrypts by the rules of the project. */
const SECRETS_FILE = 'secrets.sops.env';

/** What to do, and the commands that do it. */
type Step = readonly [what: string, ...commands: readonly string[]];

/** What lets an engine read the repository. */
const BOOTSTRAP: { readonly [delivery in Choices['delivery']]: Step } = {
  apply: ['compare with the clusters, and apply', 'npm run plan', 'npx cdk8s-harvester apply'],
  flux: [
    'push, create the Secret dc1-kubeconfig, and let Flux deliver',
    'kubectl apply -f bootstrap/flux.yaml',
  ],
  argocd: [
    'push, register dc1 with Argo CD, and let it deliver',
    'kubectl apply --server-side -f dist/argo-cd/argocd-cm.yaml',
    'kubectl apply -f bootstrap/argocd.yaml',
  ],
  fleet: ['push, and let Fleet deliver', 'kubectl apply -f dist/fleet/gitrepo.yaml'],
};

/**
 * Rancher creates the registration token where the project has none. Nothing in such a project
 * encrypts, so the setting with the token does not get into the repository.
 */
const LATE: Step = [
  'when Rancher has the cluster, register Harvester; the setting contains a token, so it is outside of the repository',
  'npx cdk8s-harvester resolve dist --write-manifests ../late',
  'kubectl --context dc1 apply --server-side --recursive -f ../late/dc1',
  'rm -r ../late',
];

/** What to do after `init`, as lines for a shell. */
function nextSteps(folder: string, { language, delivery, secrets }: Choices): Block[] {
  const { install, platformFile } = DIALECTS[language];
  const hasSecrets = secrets === 'sops';
  const steps: Step[] = [
    ['install', ...(folder === '.' ? [] : [`cd ${folder}`]), ...install],
    [`set the versions and addresses of your clusters in ${platformFile}`],
    ...(hasSecrets
      ? [
          [
            `keep the registration token of Harvester: enter ${TOKEN_ENV}= and the output of openssl rand -hex 32`,
            `sops edit ${SECRETS_FILE}`,
          ] as const,
        ]
      : []),
    [
      'write dist, and check it',
      hasSecrets ? `sops exec-env ${SECRETS_FILE} 'npm run synth'` : 'npm run synth',
      'npm run check',
    ],
    // a folder of a repository is in no other one
    [
      'commit the program with its output',
      'git rev-parse --git-dir || git init --initial-branch main',
      'git add --all',
      'git commit --message "Start the platform"',
    ],
    ...(hasSecrets && delivery === 'flux'
      ? [
          [
            'let Flux decrypt',
            'kubectl -n flux-system create secret generic sops-age --from-file=age.agekey=key.txt',
          ] as const,
        ]
      : []),
    ...(hasSecrets && delivery === 'argocd'
      ? [['install what decrypts with Argo CD, and give it the private key, key.txt'] as const]
      : []),
    BOOTSTRAP[delivery],
    ...(hasSecrets || delivery === 'apply' ? [] : [LATE]),
  ];
  return steps.flatMap(([what, ...commands]) => [
    line(toned('quiet', `# ${what}`), 2),
    ...commands.map((command) => line(command, 2)),
  ]);
}
