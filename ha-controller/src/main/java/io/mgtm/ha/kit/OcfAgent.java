package io.mgtm.ha.kit;

import io.mgtm.ha.kit.Kit.Parameter;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** An agent of {@code /usr/lib/ocf/resource.d}: its file, its environment, and what it tells. */
record OcfAgent(String provider, String type) {
  /** How a kit's name begins that is one: {@code ocf:PROVIDER:TYPE}. */
  static final String PREFIX = "ocf:";

  private static final Path ROOT = Path.of("/usr/lib/ocf");
  private static final int META_MS = 20_000;
  private static final int META_BYTES_MAX = 256 << 10;

  /**
   * What an agent says of itself.
   *
   * @param deepestMonitor the greatest depth that it has a monitor for
   */
  record MetaData(List<Parameter> parameters, int deepestMonitor) {}

  static OcfAgent parse(String name) throws KitException {
    if (!name.matches("ocf:[\\w-]+:[\\w-]+")) {
      throw new KitException(
          "\"%s\" is no OCF agent: expected ocf:PROVIDER:AGENT, such as ocf:heartbeat:Dummy"
              .formatted(name));
    }
    String[] parts = name.split(":", -1);
    OcfAgent agent = new OcfAgent(parts[1], parts[2]);
    if (!Files.isExecutable(agent.path())) {
      throw new KitException(
          "there is no agent %s; those of provider heartbeat are in Debian's package resource-agents"
              .formatted(agent.path()));
    }
    return agent;
  }

  String name() {
    return PREFIX + provider + ":" + type;
  }

  Path path() {
    return ROOT.resolve("resource.d").resolve(provider).resolve(type);
  }

  private Map<String, String> common() {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("OCF_ROOT", ROOT.toString());
    environment.put("OCF_RA_VERSION_MAJOR", "1");
    environment.put("OCF_RA_VERSION_MINOR", "1");
    environment.put("OCF_RESOURCE_PROVIDER", provider);
    environment.put("OCF_RESOURCE_TYPE", type);
    environment.put("HA_LOGTAG", "mgtm-ha");
    return environment;
  }

  /** What it is given for a resource; its notes of what runs are in the resource's own folder. */
  Map<String, String> environment(KitContext context) throws KitException {
    try {
      Files.createDirectories(context.runtime());
    } catch (IOException e) {
      throw new KitException(context.runtime() + " cannot be made: " + e.getMessage(), e);
    }
    return given(context);
  }

  private Map<String, String> given(KitContext context) {
    Map<String, String> environment = common();
    environment.put("OCF_RESOURCE_INSTANCE", context.hierarchy() + "." + context.resource());
    environment.put("HA_RSCTMP", context.runtime().toAbsolutePath().toString());
    context.parameters().forEach((name, value) -> environment.put("OCF_RESKEY_" + name, value));
    return environment;
  }

  /** A command line that needs no environment of its own. */
  List<String> command(KitContext context, String action) {
    List<String> command = new ArrayList<>(List.of("env"));
    given(context).forEach((name, value) -> command.add(name + "=" + value));
    command.addAll(List.of(path().toString(), action));
    return command;
  }

  MetaData metaData() throws KitException, InterruptedException {
    String xml =
        Programs.run(
                Program.of(Deadline.in(META_MS), path().toString(), "meta-data")
                    .with(common())
                    .keeping(META_BYTES_MAX))
            .succeeded()
            .told();
    Element root = metaData(name(), xml);
    return new MetaData(parameters(root), deepestMonitor(root));
  }

  /** What a program has told of itself, warnings of it before and after. */
  static Element metaData(String program, String told) throws KitException {
    int begin = Math.max(0, told.indexOf('<'));
    int end = Math.max(begin, told.lastIndexOf('>') + 1);
    try {
      return document(told.substring(begin, end)).getDocumentElement();
    } catch (IOException | SAXException | ParserConfigurationException e) {
      throw new KitException(
          "the meta-data of %s cannot be read: %s".formatted(program, e.getMessage()), e);
    }
  }

  private static Document document(String xml)
      throws IOException, SAXException, ParserConfigurationException {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
    factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    factory.setFeature("http://xml.org/sax/features/external-general-entities", false);
    factory.setFeature("http://xml.org/sax/features/external-parameter-entities", false);
    var builder = factory.newDocumentBuilder();
    builder.setErrorHandler(null);
    return builder.parse(new InputSource(new StringReader(xml)));
  }

  private static List<Parameter> parameters(Element root) {
    List<Parameter> required = new ArrayList<>();
    List<Parameter> others = new ArrayList<>();
    for (Element one : elements(root, "parameter")) {
      boolean must = one.getAttribute("required").matches("1|true|yes");
      String value =
          elements(one, "content").stream()
              .findFirst()
              .map(content -> content.getAttribute("default"))
              .orElse("");
      String name = one.getAttribute("name");
      (must ? required : others)
          .add(new Parameter(name, must, must ? "" : value, text(one, "shortdesc", name)));
    }
    required.addAll(others);
    return required;
  }

  private static int deepestMonitor(Element root) {
    int deepest = 0;
    for (Element one : elements(root, "action")) {
      String depth = one.getAttribute("depth");
      if (one.getAttribute("name").equals("monitor") && depth.matches("[0-9]{1,4}")) {
        deepest = Math.max(deepest, Integer.parseInt(depth));
      }
    }
    return deepest;
  }

  /** What stands in the first element of a name, or something else where that is nothing. */
  static String text(Element parent, String name, String otherwise) {
    return elements(parent, name).stream()
        .findFirst()
        .map(element -> element.getTextContent().strip())
        .filter(text -> !text.isEmpty())
        .orElse(otherwise);
  }

  static List<Element> elements(Element parent, String name) {
    List<Element> elements = new ArrayList<>();
    NodeList nodes = parent.getElementsByTagName(name);
    for (int i = 0; i < nodes.getLength(); i++) {
      elements.add((Element) nodes.item(i));
    }
    return elements;
  }
}
