/** The node name in the registration command of user data; undefined without one. @see rancher/system-agent:install.sh parse_args */
export function nodeNameIn(userData: string): string | undefined {
  const [, single, double, plain] = /(?:^|\s)--?node-name[ =](?:'([^']*)'|"([^"]*)"|([^\s'"]+))/m.exec(userData) ?? [];
  return single ?? double ?? plain;
}
