import { Choices } from './choices';
import { DIALECTS, TOKEN_ENV } from './dialects';
import { Block, line, toned } from '../../core/text/screen';

/** The file with the secrets of a program, which sops encrypts by the rules of the project. */
const SECRETS_FILE = 'secrets.sops.env';

/** What to do, and the commands that do it. */
type Step = readonly [what: string, ...commands: readonly string[]];

/** What lets an engine read the repository. */
const BOOTSTRAP: { readonly [delivery in Choices['delivery']]: Step } = {
  apply: ['compare with the clusters, and apply', 'npm run plan', 'npx cdk8s-harvester apply'],
  flux: ['push, create the Secret dc1-kubeconfig, and let Flux deliver', 'kubectl apply -f bootstrap/flux.yaml'],
  argocd: ['push, register dc1 with Argo CD, and let it deliver', 'kubectl apply --server-side -f dist/argo-cd/argocd-cm.yaml', 'kubectl apply -f bootstrap/argocd.yaml'],
  fleet: ['push, and let Fleet deliver', 'kubectl apply -f dist/fleet/gitrepo.yaml'],
};

/** Rancher creates the registration token where the project has none. */
const LATE: Step = [
  'when Rancher has the cluster, write the setting that registers Harvester; it contains a token: encrypt it before you commit it', 'npx cdk8s-harvester resolve dist --write-manifests dist',
];

/** What to do after `init`, as lines for a shell. */
export function nextSteps(folder: string, { language, delivery, secrets }: Choices): Block[] {
  const { install, platformFile } = DIALECTS[language];
  const hasSecrets = secrets === 'sops';
  const steps: Step[] = [
    ['install', ...(folder === '.' ? [] : [`cd ${folder}`]), ...install],
    [`set the versions and addresses of your clusters in ${platformFile}`],
    ...(hasSecrets ? [[`keep the registration token of Harvester: enter ${TOKEN_ENV}= and the output of openssl rand -hex 32`, `sops edit ${SECRETS_FILE}`] as const] : []),
    ['write dist, and check it', hasSecrets ? `sops exec-env ${SECRETS_FILE} 'npm run synth'` : 'npm run synth', 'npm run check'],
    // a folder of a repository is in no other one
    ['commit the program with its output', 'git rev-parse --git-dir || git init --initial-branch main', 'git add --all', 'git commit --message "Start the platform"'],
    ...(hasSecrets && delivery === 'flux' ? [['let Flux decrypt', 'kubectl -n flux-system create secret generic sops-age --from-file=age.agekey=key.txt'] as const] : []),
    BOOTSTRAP[delivery],
    ...(hasSecrets || delivery === 'apply' ? [] : [LATE]),
  ];
  return steps.flatMap(([what, ...commands]) => [line(toned('quiet', `# ${what}`), 2), ...commands.map((command) => line(command, 2))]);
}
