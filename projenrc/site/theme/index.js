// The default theme of VitePress without its web fonts: a page loads nothing from elsewhere.
import DefaultTheme from 'vitepress/theme-without-fonts';
import './site.css';

export default DefaultTheme;
