import { App, Chart, IResolver } from 'cdk8s';
import { markFailure, unmarkFailure } from './failed-synthesis';
import { Delivery } from '../../delivery/delivery';
import { SecretDelivery } from '../../delivery/secret/secret-delivery';
import { reportsToProgram } from '../construct/program-place';
import { isTestApp, markApp, saltIds } from '../construct/scope';
import { markSynthesized } from '../growing/synthesized';
import { leftOutputOf } from '../leaving/left-output';
import { Manifest } from '../manifest/manifest';
import {
  AssemblyRemoval,
  AssemblyReplacement,
  LATE_VALUES_ENV,
  OutputLayout,
} from '../output/assembly';
import { outdirOf } from '../output/review-folder';
import { Finding } from '../rule/finding';
import { countByCause } from '../rule/report';
import {
  ProgramExamination,
  examineProgram,
  failOnFindings,
  manifestsByTarget,
  oneText,
  plainFiles,
  warningsOf,
  withPlaces,
  write,
} from '../synthesis/synthesis';
import { Block, render } from '../text/screen';
import { screenOf } from '../text/terminal';
import { isReview } from '../value/review';
import { renderSecrets } from '../value/secret-value';

/** Properties of a program. */
export interface HarvesterAppProps {
  /**
   * The output folder.
   * @default - the environment variable CDK8S_OUTDIR, which `cdk8s synth` sets, otherwise `dist`
   */
  readonly outdir?: string;
  /** The layout of files: one per kind or one per object. @default OutputLayout.FILE_PER_KIND */
  readonly layout?: OutputLayout;
  /**
   * The GitOps engine that delivers the output: `Delivery.flux`, `Delivery.argoCd`,
   * `Delivery.fleet`.
   * @default Delivery.none()
   */
  readonly delivery?: Delivery;
  /**
   * How secrets are kept in the output: `SecretDelivery.sops`, `SecretDelivery.plainText`.
   * @default SecretDelivery.plainText()
   */
  readonly secrets?: SecretDelivery;
  /**
   * File of resolved late values, `{"schemaVersion":"1","values":{"<id>":"<value>"}}`: objects that
   * wait for them are written completely.
   * @default - the environment variable CDK8S_HARVESTER_LATE_VALUES, otherwise no values
   */
  readonly lateValuesFile?: string;
  /**
   * Text that makes the management cluster IDs of the program unpredictable: at least 16
   * characters, e.g. of `openssl rand -hex 16`. Without it, everyone can derive the ID of
   * `ClusterId.derived()`, and a Standard User of Rancher can create the Cluster before
   * an engine does, and remains its owner.
   *
   * Set it before the first delivery, and do not change it: a Cluster with another ID is another
   * cluster. It is in the program, so users who can read that can derive the IDs.
   *
   * @default - IDs are derived from namespace and name alone
   * @see https://github.com/rancher/rancher/blob/v2.13.8/pkg/controllers/provisioningv2/cluster/controller.go
   */
  readonly idSalt?: string;
  /**
   * Whether synthesis prints to standard error: warnings, and one line with what it wrote, what
   * waits for late values, and what to do next. The assembly and `findings` always contain the
   * warnings.
   * @default true
   */
  readonly printWarnings?: boolean;
  /** Resolvers of cdk8s that precede its own. @default - only those of cdk8s */
  readonly resolvers?: IResolver[];
  /**
   * Whether synthesis writes `construct-metadata.json` of cdk8s, for its validation plugins.
   * @default - as `cdk8s synth` requests
   */
  readonly recordConstructMetadata?: boolean;
}

/**
 * A program that declares a whole platform: target charts, their objects, and the order between
 * them.
 *
 * Synthesis renders everything, runs the rules once over all targets together, and writes
 * `<outdir>/<target>/*.yaml` and `assembly.json`. If a finding is an error, nothing is written and
 * the previous output is left untouched.
 *
 * @example
 * const app = new HarvesterApp({ outdir: 'manifests' });
 * const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
 * HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org']);
 * app.synth();
 */
export class HarvesterApp extends App {
  private readonly layout: OutputLayout;
  private readonly delivery?: Delivery;
  private readonly secrets?: SecretDelivery;
  private readonly lateValuesFile?: string;
  private readonly printWarnings: boolean;
  private readonly recordMetadata: boolean;
  private readonly removals: AssemblyRemoval[] = [];
  private readonly replacements: AssemblyReplacement[] = [];
  private lastFindings: readonly Finding[] = [];

  constructor(props: HarvesterAppProps = {}) {
    super({ outdir: outdirOf(props.outdir), resolvers: props.resolvers });
    this.recordMetadata =
      props.recordConstructMetadata ?? process.env.CDK8S_RECORD_CONSTRUCT_METADATA === 'true';
    this.layout = props.layout ?? OutputLayout.FILE_PER_KIND;
    this.delivery = props.delivery;
    this.secrets = props.secrets;
    this.lateValuesFile = props.lateValuesFile ?? process.env[LATE_VALUES_ENV];
    this.printWarnings = props.printWarnings ?? true;
    markApp(this);
    if (props.idSalt !== undefined) {
      saltIds(this, checkedSalt(props.idSalt));
    }
  }

  /** All charts, in the order of the program. Edges define the order of apply, not charts. */
  public get charts(): Chart[] {
    return this.node.findAll().filter((child): child is Chart => child instanceof Chart);
  }

  /**
   * The findings of the last synthesis, errors first; suppressed findings included, with their
   * reason.
   */
  public get findings(): Finding[] {
    return [...this.lastFindings];
  }

  /** Runs all rules and returns the findings, without writing or failing. */
  public validate(): Finding[] {
    this.examine();
    return this.findings;
  }

  /**
   * Accepts that objects are removed from the output: the program no longer declares them, or they
   * now wait for a late value.
   *
   * Without it, synthesis and `lint --before` report an error for objects that hold machines, data,
   * or tenants, since a GitOps engine that prunes deletes them. The statement itself deletes
   * nothing. Remove it once the new output is delivered everywhere: `review` and `lint --before`
   * report one that fits nothing any more. One that names several objects accepts what leaves with
   * the change that it is added with, and nothing that leaves later.
   *
   * What leaves together with the object is accepted, too, if it is a part of the same construct,
   * or holds nothing of its own: with a guest cluster its machine configurations and the account of
   * its cloud provider, with a project its members.
   *
   * @param pattern ID of an object as in the finding, e.g. `dc1/kubevirt.io/VirtualMachine/default/bastion`; `*` matches any text.
   * Or the path of a construct, e.g. `rancher/team-search`, for all objects of it and below it
   * @param reason for the removal, for reviewers
   */
  public acceptRemoval(pattern: string, reason: string): void {
    requireTexts(
      'acceptRemoval',
      { pattern, reason },
      'set the ID of an object and the reason for its removal',
    );
    this.removals.push({ objects: pattern, reason });
  }

  /**
   * Accepts that an edit replaces machines of a guest cluster, or deletes some of them: `impact`
   * lists them with the reason, and does not fail for them.
   *
   * The removal of a whole cluster is accepted by `acceptRemoval` alone. The statement itself
   * changes nothing, and `apply --fail-on-machine-loss` does not read it.
   * Remove it once the edit is delivered everywhere.
   *
   * @param pattern ID of the Cluster as `impact` prints it, e.g. `rancher/provisioning.cattle.io/Cluster/fleet-default/shop`, with `/<pool>` for one pool;
   * `*` matches any text
   * @param reason for the replacement, for reviewers
   */
  public acceptReplacement(pattern: string, reason: string): void {
    requireTexts(
      'acceptReplacement',
      { pattern, reason },
      'set the ID of a Cluster and the reason for the replacement',
    );
    this.replacements.push({ machines: pattern, reason });
  }

  /**
   * Writes the output folder. If a finding is an error, it throws a report of all findings and
   * writes nothing.
   *
   * The output is compared with the previous output in the same folder: a removed object is a
   * finding.
   */
  public synth(): void {
    reportsToProgram(this.synth, () => {
      // a test, and a review, say nothing about the output in its folder
      const isMarked = !isTestApp(this) && !isReview();
      this.lastFindings = [];
      try {
        this.writeOutput();
      } catch (error) {
        if (isMarked) {
          markFailure(this.outdir, countByCause(this.lastFindings).errors || 1);
        }
        throw error;
      }
      if (isMarked) {
        unmarkFailure(this.outdir);
      }
      markSynthesized(this);
    });
  }

  /**
   * Returns all objects as one YAML text, in the order of an apply. Only for programs without late
   * values.
   *
   * With several targets, the objects of each follow a comment with its name, the targets sorted by
   * name: such a text is for reviewers and tests, since each target is another cluster.
   */
  public synthYaml(): string {
    return reportsToProgram(this.synthYaml, () => this.judged(oneText));
  }

  /** @internal */
  public _failOnFindings(): void {
    this.judged(() => undefined);
  }

  /**
   * All manifests, by target, in the order of an apply. Those that wait for late values contain
   * placeholders. If a finding is an error, it throws.
   * @internal
   */
  public _manifests(): ReadonlyMap<string, readonly Manifest[]> {
    return reportsToProgram(this._manifests, () => this.judged(manifestsByTarget));
  }

  /**
   * The files of the output, with secrets in plain text. If a finding is an error, it throws.
   * @internal
   */
  public _plainFiles(): ReadonlyMap<string, string> {
    const { layout, removals, replacements } = this;
    return reportsToProgram(this._plainFiles, () =>
      this.judged((examination) => plainFiles(examination, { layout, removals, replacements })),
    );
  }

  private writeOutput(): void {
    this.render(() => {
      const examination = this.examine();
      const left = leftOutputOf(examination, this.outdir, this.removals);
      this.keepFindings([...this.lastFindings, ...left]);
      failOnFindings(this.lastFindings);
      const { outdir, layout, recordMetadata, removals, replacements } = this;
      const { notes, findings } = write(examination, {
        outdir,
        layout,
        recordMetadata,
        removals,
        replacements,
      });
      this.keepFindings([...this.lastFindings, ...findings]);
      if (this.printWarnings) {
        const hasEngine = this.delivery?._hasEngine() ?? false;
        printBlocks([...warningsOf(this.lastFindings, hasEngine), ...notes]);
      }
    });
  }

  /** What is made of a program without errors. */
  private judged<T>(make: (examination: ProgramExamination) => T): T {
    return this.render(() => {
      const examination = this.examine();
      failOnFindings(this.lastFindings);
      return make(examination);
    });
  }

  private render<T>(make: () => T): T {
    return renderSecrets(isTestApp(this), make);
  }

  private examine(): ProgramExamination {
    const { lateValuesFile, delivery, secrets, layout, removals, replacements } = this;
    const examination = this.render(() =>
      examineProgram(this, { lateValuesFile, delivery, secrets, layout, removals, replacements }),
    );
    this.keepFindings(examination.findings);
    return examination;
  }

  // the assembly contains no places: it is the same wherever the program runs
  private keepFindings(findings: readonly Finding[]): void {
    this.lastFindings = withPlaces(this, findings);
  }
}

/** Prints to standard error, as its screen allows. */
function printBlocks(blocks: readonly Block[]): void {
  if (blocks.length > 0) {
    process.stderr.write(`${render(blocks, screenOf({}, process.stderr))}\n`);
  }
}

/** Shorter salts could be found by trying all, with one ID of the program at hand. */
const MIN_SALT = 16;

function checkedSalt(salt: string): string {
  if (salt.length < MIN_SALT) {
    throw new Error(
      `idSalt: must have at least ${MIN_SALT} characters, got ${salt.length}. Fix: use the output of openssl rand -hex 16`,
    );
  }
  return salt;
}

function requireTexts(
  method: string,
  texts: { readonly [name: string]: string },
  fix: string,
): void {
  const [empty] = Object.entries(texts).find(([, text]) => text.trim() === '') ?? [];
  if (empty !== undefined) {
    throw new Error(`HarvesterApp.${method}: ${empty} must not be empty. Fix: ${fix}`);
  }
}
