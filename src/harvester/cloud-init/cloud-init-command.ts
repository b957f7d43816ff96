/**
 * A command that cloud-init runs, as root.
 */
export class CloudInitCommand {
  /**
   * A line for the shell, with its variables, pipes and quotes.
   *
   * @param line e.g. `curl -sf https://example.com/setup.sh | sh -s`; may hold late values
   */
  public static shell(line: string): CloudInitCommand {
    return new CloudInitCommand(line);
  }

  /**
   * A program with its arguments, as they are: no shell reads them.
   *
   * @param program and its arguments, e.g. `'systemctl', 'restart', 'sshd'`
   */
  public static exec(...program: string[]): CloudInitCommand {
    return new CloudInitCommand(program);
  }

  private constructor(/** @internal */ public readonly _command: string | readonly string[]) {}
}
